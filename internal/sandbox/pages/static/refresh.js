// Looks for news every second and a half, and changes only what is new: nobody loses what they type, or a click.
"use strict";

const typing = (part) => {
  const at = document.activeElement;
  return part.contains(at) && at.matches("input, textarea") && at.value !== "";
};

const bring = (old, fresh) => {
  const open = new Set([...old.querySelectorAll("details[open]")].map((d) => d.textContent));
  old.replaceChildren(...fresh.childNodes);
  for (const d of old.querySelectorAll("details")) d.open = d.open || open.has(d.textContent);
};

// seen is what each part was when it came: what one has opened since is no news.
const seen = new Map();
for (const part of document.querySelectorAll("[data-live]")) seen.set(part.id, part.innerHTML);

const look = async () => {
  if (document.hidden) return;
  const answer = await fetch(location.pathname, { cache: "no-store" });
  if (!answer.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = now.getElementById(part.id);
    if (!fresh || fresh.innerHTML === seen.get(part.id) || typing(part)) continue;
    seen.set(part.id, fresh.innerHTML);
    bring(part, fresh);
  }
};

setInterval(() => look().catch(() => {}), 1500); // the sandbox may have ended

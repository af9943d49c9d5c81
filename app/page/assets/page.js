// Draws the arrows between stages, and looks at the page anew when something has happened. Without it the pages show all
// they have, as of when they were loaded.
"use strict";

// arrows joins each stage with those after which it takes freight.
const arrows = () => {
  const board = document.getElementById("board");
  const svg = document.getElementById("arrows");
  if (!board || !svg) return;
  svg.replaceChildren();
  svg.setAttribute("width", 0);
  svg.setAttribute("width", board.scrollWidth);
  svg.setAttribute("height", board.scrollHeight);
  const from = board.getBoundingClientRect();
  const cards = new Map([...board.querySelectorAll("[data-stage]")].map((c) => [c.dataset.stage, c]));
  for (const card of cards.values()) {
    for (const name of card.dataset.after.split(" ").filter((n) => cards.has(n))) {
      const a = cards.get(name).getBoundingClientRect();
      const b = card.getBoundingClientRect();
      const x1 = a.right - from.left + board.scrollLeft, y1 = a.top + a.height / 2 - from.top;
      const x2 = b.left - from.left + board.scrollLeft, y2 = b.top + b.height / 2 - from.top;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${x1} ${y1} C${x1 + 28} ${y1} ${x2 - 28} ${y2} ${x2 - 2} ${y2} m-7 -5 l7 5 l-7 5`);
      svg.append(path);
    }
  }
};

// refresh loads the page again and replaces its content, unless somebody is typing.
let latest = 0;
const refresh = async () => {
  if (document.hidden || document.querySelector("main form [type=hidden]")) return;
  const mine = ++latest;
  const answer = await fetch(location.href, { cache: "no-store" });
  if (!answer.ok || mine !== latest) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = document.querySelector("main");
  const at = document.activeElement;
  if (main.contains(at) && at.matches("input") && at.value !== "") return;
  const place = at && main.contains(at) && at.getAttribute("href");
  const scroll = document.getElementById("board")?.scrollLeft;
  main.replaceChildren(...fresh.querySelector("main").childNodes);
  document.getElementById("news").replaceChildren(...fresh.getElementById("news").childNodes);
  if (place) main.querySelector(`[href="${CSS.escape(place)}"]`)?.focus();
  if (scroll) document.getElementById("board").scrollLeft = scroll;
  arrows();
};

let due;
const soon = () => {
  clearTimeout(due);
  due = setTimeout(() => refresh().catch(() => {}), 250); // several events come together
};

arrows();
addEventListener("resize", arrows);
document.addEventListener("visibilitychange", soon);
const events = document.body.dataset.events;
if (events) {
  const source = new EventSource(events);
  for (const kind of ["state", "class", "stage", "command", "effect", "alert"]) source.addEventListener(kind, soon);
}
setInterval(soon, 30000); // times pass, and a server may refuse one more listener

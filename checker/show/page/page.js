// Steps the players and chooses what of the dependency graph is seen. The page
// has all text and pictures without it.
"use strict";
document.documentElement.classList.add("script");

function player(root) {
  const data = JSON.parse(root.querySelector("script").textContent);
  const steps = data.steps;
  const range = root.querySelector("input");
  const body = root.querySelector("table.state tbody");
  const say = root.querySelector(".say");
  const output = root.querySelector("output");
  const jumps = root.querySelectorAll("[data-jump]");
  const button = (what) => root.querySelector('[data-do="' + what + '"]');
  let at = 0;
  let timer = null;

  // state returns the fields after a number of steps, and what the last one changed.
  function state(k) {
    const now = new Map();
    for (const s of data.start) now.set(s.f, s);
    for (let i = 0; i < k; i++) for (const s of steps[i].set) now.set(s.f, s);
    const changed = new Map();
    if (k > 0) {
      const before = new Map();
      for (const s of data.start) before.set(s.f, s);
      for (let i = 0; i < k - 1; i++) for (const s of steps[i].set) before.set(s.f, s);
      for (const s of steps[k - 1].set) changed.set(s.f, before.has(s.f) ? before.get(s.f).l : "");
    }
    return { now, changed };
  }

  function show(k) {
    at = Math.max(0, Math.min(k, steps.length));
    const { now, changed } = state(at);
    for (const slot of root.querySelectorAll(".slot")) {
      const f = Number(slot.dataset.field);
      const s = now.get(f);
      const full = Boolean(s && s.l);
      slot.classList.toggle("full", full);
      slot.classList.toggle("body", Boolean(s && s.b));
      slot.classList.toggle("changed", changed.has(f));
      slot.querySelector("text").textContent = full ? s.s : "";
      slot.querySelector("title").textContent = data.fields[f] + ": " + (full ? s.l : "empty");
    }
    body.textContent = "";
    for (let f = 0; f < data.fields.length; f++) {
      const s = now.get(f);
      const holds = s ? s.l : "";
      if (!holds && !changed.has(f)) continue;
      const row = body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = data.fields[f];
      row.append(head);
      const cell = row.insertCell();
      cell.textContent = holds || "empty";
      if (changed.has(f)) {
        row.className = "changed";
        const was = row.insertCell();
        was.textContent = "before: " + (changed.get(f) || "empty");
      }
    }
    body.parentElement.hidden = body.rows.length === 0;
    say.textContent = at === 0 ? "The start." : steps[at - 1].say;
    output.textContent = at + " of " + steps.length;
    range.value = at;
    range.setAttribute("aria-valuetext", "step " + at + " of " + steps.length);
    root.dataset.at = at === steps.length && !("cut" in root.dataset) ? "end" : String(at);
    jumps.forEach((b, i) => {
      if (i === at - 1) {
        b.setAttribute("aria-current", "step");
        const list = b.closest("ol");
        const top = b.offsetTop - list.offsetTop;
        if (top < list.scrollTop || top + b.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top;
      } else {
        b.removeAttribute("aria-current");
      }
    });
    // Not "disabled": a button that has the focus must not lose it.
    for (const what of ["first", "back"]) button(what).setAttribute("aria-disabled", String(at === 0));
    for (const what of ["step", "last"]) button(what).setAttribute("aria-disabled", String(at === steps.length && data.back < 0));
  }

  function stop() {
    if (timer !== null) clearInterval(timer);
    timer = null;
    button("play").textContent = "Play";
    button("play").setAttribute("aria-pressed", "false");
  }

  // onward takes a step; from the end of a loop it goes on with its first one.
  function onward() {
    if (at < steps.length) show(at + 1);
    else if (data.back >= 0 && data.back < steps.length) show(data.back + 1);
    else stop();
    if (at === steps.length && data.back < 0) stop();
  }

  const does = {
    first() { stop(); show(0); },
    back() { stop(); show(at - 1); },
    step() { stop(); onward(); },
    last() { stop(); show(steps.length); },
    play() {
      if (timer !== null) return stop();
      if (at === steps.length) show(0);
      timer = setInterval(onward, 900);
      button("play").textContent = "Pause";
      button("play").setAttribute("aria-pressed", "true");
    },
  };
  for (const what of Object.keys(does)) button(what).addEventListener("click", does[what]);
  range.addEventListener("input", () => { stop(); show(Number(range.value)); });
  jumps.forEach((b, i) => b.addEventListener("click", () => { stop(); show(i + 1); }));
  const keys = { ArrowRight: "step", ArrowLeft: "back", Home: "first", End: "last", p: "play", P: "play" };
  root.addEventListener("keydown", (e) => {
    if (e.target === range || e.altKey || e.ctrlKey || e.metaKey || !(e.key in keys)) return;
    e.preventDefault();
    does[keys[e.key]]();
  });
  show(0);
}

for (const root of document.querySelectorAll(".player")) player(root);

// least is the part of its width below which a drawing is not shown: then it scrolls.
const least = 0.75;

// part returns the box around what a drawing's slots are on, and what is near; null
// if it has none, or they are all over it.
function part(svg) {
  const whole = svg.viewBox.baseVal;
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const slot of svg.querySelectorAll(".slot")) {
    const b = slot.getBBox();
    left = Math.min(left, b.x), top = Math.min(top, b.y);
    right = Math.max(right, b.x + b.width), bottom = Math.max(bottom, b.y + b.height);
  }
  const near = 130; // a node and its links
  left = Math.max(left - near, whole.x), top = Math.max(top - near, whole.y);
  right = Math.min(right + near, whole.x + whole.width), bottom = Math.min(bottom + near, whole.y + whole.height);
  if (!((right - left) * (bottom - top) * 2 < whole.width * whole.height)) return null;
  return [left, top, right - left, bottom - top];
}

// A large drawing shows the part that matters first.
for (const figure of document.querySelectorAll("figure")) {
  const svg = figure.querySelector("svg");
  const box = svg && figure.clientWidth > 0 ? part(svg) : null;
  if (!box) continue;
  const whole = svg.getAttribute("viewBox"), width = svg.getAttribute("width");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "zoom";
  button.textContent = "The whole network";
  const zoom = (out) => {
    button.setAttribute("aria-pressed", String(out));
    svg.setAttribute("viewBox", out ? whole : box.join(" "));
    svg.setAttribute("width", out ? width : box[2]);
    svg.style.minWidth = least * svg.getAttribute("width") + "px";
  };
  button.addEventListener("click", () => zoom(button.getAttribute("aria-pressed") === "false"));
  figure.before(button);
  zoom(false);
}

const graph = document.getElementById("dependency-graph");
const views = document.querySelectorAll("[data-show]");
function choose(name) {
  graph.dataset.view = name;
  for (const b of views) {
    const shown = b.dataset.show === name;
    b.setAttribute("aria-pressed", String(shown));
    if (shown) {
      graph.setAttribute("viewBox", b.dataset.box);
      graph.setAttribute("width", b.dataset.box.split(" ")[2]);
      graph.style.minWidth = least * graph.getAttribute("width") + "px";
    }
  }
}
for (const b of views) b.addEventListener("click", () => choose(b.dataset.show));
if (views.length > 0) choose(views[views.length - 1].dataset.show);

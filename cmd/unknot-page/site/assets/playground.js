"use strict";
// The playground: an editor, the question, and the answer of unknot-page, which runs in a worker.
//
// The address says what is shown: #example=NAME, #exercise=NAME, or #name=FILE&text=PACKED, with &set=PARAMETERS; PACKED is
// the text, deflated, in the URL's base 64.

const by = (id) => document.getElementById(id);
const text = by("text"), shown = by("shown"), numbers = by("numbers");

// ---- The editor: a text area without colour over the same text in colours.

let wrong = 0; // line with an error; 0: none
function paint() {
  shown.replaceChildren(highlight(text.value, by("name").value.endsWith(".m")), "\n");
  const lines = text.value.split("\n").length;
  numbers.replaceChildren(...Array.from({ length: lines }, (_, i) => {
    const line = document.createElement(i + 1 === wrong ? "b" : "span");
    line.textContent = i + 1 + "\n";
    return line;
  }));
  follow();
}
function follow() {
  shown.scrollTop = numbers.scrollTop = text.scrollTop;
  shown.scrollLeft = text.scrollLeft;
}
text.addEventListener("input", () => { wrong = 0; paint(); });
by("question").addEventListener("input", keep);
text.addEventListener("scroll", follow);
text.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
    e.preventDefault();
    check();
  } else if (e.key === "Enter" && !e.shiftKey) { // a new line is indented as the one before, and after ":" by four more
    const before = text.value.slice(0, text.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = line.match(/^ */)[0] + (/:\s*$/.test(line) ? "    " : "");
    e.preventDefault();
    document.execCommand("insertText", false, "\n" + indent);
  }
});
function goTo(line, column) {
  const lines = text.value.split("\n");
  const at = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + Math.max(0, column - 1);
  text.focus();
  text.setSelectionRange(at, at);
  text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
}

// ---- The program: one worker, which is ended if it is busy when something else is asked, or too long.

// A worker that was ended may still tell of an error, such as a script whose loading was cut off: nobody listens any more.

let worker, ready = false, waiting = null, late = 0, asked = 0;
function start() {
  ready = false;
  worker = new Worker("worker.js");
  worker.onmessage = (e) => {
    if (e.data === "ready") {
      ready = true;
      if (waiting) send();
      return;
    }
    const request = waiting;
    waiting = null;
    clearTimeout(late);
    by("stop").disabled = true;
    tell(JSON.parse(e.data), request);
  };
  worker.onerror = (e) => stop("The program failed: " + e.message);
}
function send() {
  say("Checking …");
  worker.postMessage(JSON.stringify(waiting));
  late = setTimeout(() => stop("Unknown: the time is up, and the program was ended before it could say how far it came."),
    (waiting.seconds + 3) * 1000);
}
function stop(why) {
  worker.onmessage = worker.onerror = null;
  worker.terminate();
  clearTimeout(late);
  waiting = null;
  by("stop").disabled = true;
  say(why);
  start();
}
const say = (words) => { by("state").textContent = words; };

// ---- The question.

let exercise = null;
function settings() {
  const set = {};
  const written = by("set").value.replace(/\s*=\s*/g, "=").split(/\s+|,\s*(?=\w+=|$)/); // other commas are of values
  for (const pair of written.filter((word) => word && word !== "--set")) {
    const at = pair.indexOf("=");
    if (at < 1) throw new Error(`parameters: ${pair}: want name=value`);
    set[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return set;
}
function check() {
  let set;
  try {
    set = settings();
  } catch (e) {
    by("answer").hidden = true;
    return say(e.message);
  }
  if (waiting && ready) stop("");
  waiting = {
    name: by("name").value || "network.star", text: text.value, set,
    seconds: Number(by("seconds").value) || 20, states: Number(by("states").value) || 200000,
    exercise: exercise ? exercise.name : "",
  };
  asked = performance.now();
  by("stop").disabled = false;
  by("answer").hidden = true;
  by("marked").textContent = "";
  if (ready) send();
  else say("Loading the checker (6 MB, once) …");
}
let pressed = false; // the user asked, and looks for the answer
by("question").addEventListener("submit", (e) => { e.preventDefault(); pressed = true; check(); });
by("stop").addEventListener("click", () => stop("Stopped."));

// ---- The answer.

const signs = { holds: "✓", violated: "✗", unknown: "?" };
function tell(a, request) {
  say(`Answered in ${((performance.now() - asked) / 1000).toFixed(1)} s, within ${request ? request.seconds : 0} s and ` +
    `${request ? request.states : 0} states.`);
  by("answer").hidden = false;
  answer(a);
  if (pressed) by("state").scrollIntoView();
  pressed = false;
}
function answer(a) {
  by("fault").hidden = !a.error;
  by("result").hidden = Boolean(a.error);
  by("verdicts").replaceChildren();
  by("parameters").hidden = true;
  wrong = a.error ? a.error.line || 0 : 0;
  paint();
  if (a.error) {
    by("message").textContent = a.error.message;
    by("go").hidden = !wrong;
    by("go").onclick = () => goTo(wrong, a.error.column || 1);
    return;
  }
  for (const p of a.properties) {
    const item = document.createElement("li"), small = document.createElement("small");
    item.className = p.verdict;
    item.append(`${signs[p.verdict]} ${p.title} ${p.verdict}`);
    small.textContent = p.verified ? "verified: " + p.check : p.check;
    item.append(small);
    by("verdicts").append(item);
  }
  by("parameters").hidden = !a.parameters;
  by("parameters").querySelector("ul").replaceChildren(...(a.parameters || []).map((p) => {
    const item = document.createElement("li");
    item.textContent = p;
    return item;
  }));
  by("printed").textContent = a.text;
  report(a.report);
  if (a.exercise) mark(a.exercise);
}

let address = "";
function report(html) {
  if (address) URL.revokeObjectURL(address);
  address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  by("whole").href = by("save").href = address;
  const frame = by("report");
  frame.onload = () => {
    const page = frame.contentDocument.documentElement;
    embed(frame.contentDocument);
    const fit = () => { frame.style.height = Math.max(320, page.getBoundingClientRect().height + 20) + "px"; };
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(page); // a new height may change the width
    fit();
  };
  frame.src = address;
}
// embed takes out of a report what stands above the frame, and puts what is assumed below the packets that wait.
function embed(report) {
  const header = report.querySelector("header");
  header.querySelector("h1").remove();
  header.querySelector(".verdicts").remove();
  report.querySelector("main").append(...header.children);
  header.remove();
  report.querySelector("main h2").style.cssText = "border-top: 0; margin-top: 0"; // nothing is above it
}

// ---- Examples, exercises and addresses.

// What is changed is kept for as long as the tab is open, by the address of what was changed.

let given = { name: "", set: "", text: "" }, place = "changed"; // the fields as the address has them, and the address
const fields = () => ({ name: by("name").value, set: by("set").value, text: text.value });
const changed = () => Object.entries(fields()).some(([id, value]) => value !== given[id]);
function keep() {
  by("again").hidden = !changed();
  try {
    if (changed()) sessionStorage.setItem(place, JSON.stringify(fields()));
    else sessionStorage.removeItem(place);
  } catch {
    // no room, or not permitted: then it is gone with the page
  }
}
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
}
function open(name, source, set) {
  place = "changed " + (location.hash || "#example=ring.star");
  given = { name, set: set || "", text: source.replace(/\r\n?/g, "\n") }; // as the editor has it
  const before = kept();
  fill(before || given);
  by("kept").hidden = !before;
}
function fill(f) {
  for (const id in given) by(id).value = f[id];
  by("again").hidden = !changed();
  wrong = 0;
  paint();
  text.scrollTop = 0;
}
by("again").addEventListener("click", () => {
  fill(given);
  keep();
  by("kept").hidden = true;
  say("The file is as it was given.");
});
function mark(m) {
  by("marked").textContent = m.solved ? "✓ Solved: the verifier accepts the evidence." : "Not yet: " + m.lacks.join("; ") + ".";
  by("marked").className = m.solved ? "solved" : "";
  if (m.solved) localStorage.setItem("solved " + exercise.name, "yes");
  const next = data.exercises[data.exercises.indexOf(exercise) + 1];
  by("next").hidden = !m.solved || !next;
  if (next) by("next-link").href = "#exercise=" + next.name;
}
function setExercise(e) {
  exercise = e;
  by("exercise").hidden = !e;
  by("next").hidden = true;
  by("marked").textContent = "";
  if (!e) return;
  by("exercise-title").textContent = e.title;
  by("task").innerHTML = e.task; // of the site itself
  by("hint").innerHTML = e.hint;
  by("hint").parentElement.open = false;
  by("theory").href = `guide/${e.theory}.html`;
}

const encode = async (source) => {
  const packed = new Blob([source]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
};
const decode = (packed) => {
  const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
};

const own = new Option("none of these", "");
own.disabled = true; // it is what the page says, not what can be chosen
by("example").append(own);
const files = data.examples.flatMap((g) => g.files);
for (const g of data.examples) {
  const group = document.createElement("optgroup");
  group.label = g.title;
  for (const f of g.files) group.append(new Option(f.title, f.name));
  by("example").append(group);
}
by("example").addEventListener("change", () => { location.hash = "example=" + by("example").value; });

// opened opens what the address says.
async function opened() {
  const q = new URLSearchParams(location.hash.slice(1));
  setExercise(data.exercises.find((e) => e.name === q.get("exercise")) || null);
  const example = files.find((f) => f.name === q.get("example"));
  by("example").value = "";
  if (q.get("text")) {
    try {
      open(q.get("name") || "shared.star", await decode(q.get("text")), q.get("set"));
    } catch {
      say("The address is damaged: its text cannot be unpacked.");
      return;
    }
  } else if (exercise) {
    open(exercise.name + ".star", exercise.text);
  } else {
    const f = example || files.find((f) => f.name === "ring.star");
    by("example").value = f.name;
    open(f.name, f.text, q.get("set"));
  }
  const missing = ["exercise", "example"].find((kind) => q.get(kind) && !(kind === "exercise" ? exercise : example));
  if (missing && !q.get("text")) say(`There is no ${missing} called ${q.get(missing)}; this is the first example.`);
  else if (!q.get("text") && exercise) say("Change the file, then check it.");
  else check();
}
by("share").addEventListener("click", async () => {
  const q = new URLSearchParams({ name: by("name").value, text: await encode(text.value) });
  if (exercise) q.set("exercise", exercise.name);
  if (by("set").value) q.set("set", by("set").value);
  history.replaceState(null, "", "#" + q);
  place = "changed " + location.hash;
  given = fields();
  keep();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The address is copied. It has the whole file; no server keeps it.");
  } catch {
    say("The address of this page has the whole file now: copy it from there.");
  }
});

if (location.protocol === "file:") {
  by("unable").hidden = false;
  by("unable").textContent = "This page was opened from a file, where browsers do not let it start the checker. The guide works. For the " +
    "playground, open the site from a web server; a local one will do.";
  by("check").disabled = true;
  setExercise(null);
  const f = files.find((f) => f.name === "ring.star");
  open(f.name, f.text);
} else {
  start();
  addEventListener("hashchange", opened);
  opened();
}

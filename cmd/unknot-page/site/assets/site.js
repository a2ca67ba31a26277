"use strict";
// What every page has: colours of code, the search, the service worker, and the list of pages folded on small screens.

const root = document.body.dataset.root;

for (const code of document.querySelectorAll("code.language-python, code.language-murphi")) {
  code.replaceChildren(highlight(code.textContent, code.classList.contains("language-murphi")));
}

const side = document.querySelector(".side");
if (side && matchMedia("(max-width: 50rem)").matches) side.open = false;

const search = document.getElementById("search"), found = document.getElementById("found");

// The index is loaded when it is first needed, by a script, as a page opened from a file cannot fetch.
let index, loading;
function withIndex(use) {
  if (index) return use();
  if (loading) return;
  loading = true;
  const script = document.createElement("script");
  script.src = root + "search-index.js";
  script.onload = () => {
    index = searchIndex.map((s) => ({ ...s, all: [s.page, s.heading, s.text].join("\n").toLowerCase() }));
    use();
  };
  document.head.append(script);
}

// A section counts if it has all words; those in its title and heading count most.
function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter((w) => w.length > 1);
  found.hidden = words.length === 0;
  if (found.hidden) return found.replaceChildren();
  const weight = (s) => words.reduce((sum, w) => sum + ((s.heading || "").toLowerCase().includes(w) ? 4 : 0) +
    (s.page.toLowerCase().includes(w) ? 2 : 0), s.href.startsWith("guide/") ? 1 : 0);
  const hits = index.filter((s) => words.every((w) => s.all.includes(w)))
    .map((s) => [weight(s), s]).sort((a, b) => b[0] - a[0]).slice(0, 12);
  const list = document.createElement("ul");
  for (const [, s] of hits) {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("span");
    link.href = root + s.href;
    link.textContent = s.page + (s.heading ? ": " + s.heading : "");
    const at = Math.max(0, s.text.toLowerCase().indexOf(words[0]) - 60);
    text.textContent = (at > 0 ? "… " : "") + s.text.slice(at, at + 160).replace(/\s+/g, " ") + " …";
    item.append(link, text);
    list.append(item);
  }
  const none = document.createElement("p");
  none.textContent = "Nothing has all of these words.";
  found.replaceChildren(hits.length ? list : none);
}
search.addEventListener("input", () => withIndex(show));
search.addEventListener("keydown", (e) => {
  if (e.key === "Escape") { search.value = ""; found.hidden = true; }
});

if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
  addEventListener("load", () => navigator.serviceWorker.register(root + "service-worker.js"));
}

// Keys: 1 to 9 take a move, the arrows step back and along the trace, Home and
// End go to the ends. Everything is a link, too.
"use strict";
const ids = { Home: "first", ArrowLeft: "back", ArrowRight: "follow", End: "end" };
document.addEventListener("keydown", (e) => {
  if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || e.target.tagName === "INPUT") return;
  const link = e.key in ids ? document.getElementById(ids[e.key])
    : /^[1-9]$/.test(e.key) ? document.querySelector('[data-move="' + e.key + '"]') : null;
  if (!link) return;
  e.preventDefault();
  link.click();
});

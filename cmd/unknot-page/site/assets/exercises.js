"use strict";
// Marks the exercises that this browser remembers as solved.

for (const item of document.querySelectorAll("[data-exercise]")) {
  item.querySelector(".solved").hidden = localStorage.getItem("solved " + item.dataset.exercise) === null;
}

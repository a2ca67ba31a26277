"use strict";
// Keeps all files of the site, so that it works offline. The builder writes version and files above.

// keep fetches a file. A page that was redirected, as index.html often is, may not answer a navigation, so it is copied.
async function keep(cache, file) {
  const r = await fetch(file, { cache: "no-cache" });
  if (!r.ok) throw new Error(`${file}: ${r.status}`);
  await cache.put(file, r.redirected ? new Response(r.body, { headers: r.headers }) : r);
}
addEventListener("install", (e) => {
  e.waitUntil(caches.open(version).then((c) => Promise.all(files.map((f) => keep(c, f)))).then(() => skipWaiting()));
});
addEventListener("activate", (e) => {
  e.waitUntil(caches.keys().then((all) => Promise.all(
    all.filter((name) => name.startsWith("unknot-") && name !== version).map((name) => caches.delete(name))))
    .then(() => clients.claim()));
});
addEventListener("fetch", (e) => {
  let url = new URL(e.request.url);
  if (url.pathname.endsWith("/")) url = new URL("index.html", url);
  e.respondWith(caches.open(version).then((c) => c.match(url, { ignoreSearch: true })).then((kept) => kept || fetch(e.request)));
});

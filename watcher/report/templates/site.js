"use strict";
document.documentElement.classList.add("js");
document.addEventListener("DOMContentLoaded", () => {
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  for (const block of document.querySelectorAll("[data-listing]")) {
    const table = block.querySelector("table");
    const items = [...table.tBodies];
    const heads = [...table.tHead.rows[0].cells];
    const inputs = [...block.querySelectorAll("[data-filter]")];
    const search = block.querySelector("[data-search]");
    const count = block.querySelector("[data-count]");
    let texts = null;
    let sorted = "";

    const say = (shown) => {
      const all = items.length.toLocaleString("en");
      const some = shown === items.length ? all : `${shown.toLocaleString("en")} of ${all}`;
      const noun = items.length === 1 ? block.dataset.noun : block.dataset.nouns;
      count.textContent = `${some} ${noun}${sorted}`;
    };
    const shown = () => items.reduce((sum, item) => sum + (item.hidden ? 0 : 1), 0);
    const remember = () => {
      const asked = new URLSearchParams();
      for (const input of inputs) if (input.value) asked.set(input.dataset.filter, input.value);
      if (search.value.trim()) asked.set("find", search.value.trim());
      const query = asked.toString();
      try {
        history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
      } catch {
        // a browser that lets no file change its address: the filters work, only the address stays
      }
    };
    const apply = () => {
      const parts = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (parts.length && texts === null) texts = items.map((item) => item.textContent.toLowerCase());
      const wanted = inputs.filter((input) => input.value).map((input) => [input.dataset.filter, input.value]);
      items.forEach((item, place) => {
        const fits = wanted.every(([key, value]) => (item.dataset[key] ?? "").split("|").includes(value));
        item.hidden = !(fits && parts.every((part) => texts[place].includes(part)));
      });
      say(shown());
    };
    const reset = () => {
      for (const input of inputs) input.value = "";
      search.value = "";
      apply();
      remember();
    };
    const sort = (place, numeric) => {
      const head = heads[place];
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      for (const each of heads) if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const keyed = items.map((item, index) => {
        const cell = item.rows[0].cells[place];
        const text = cell.textContent.trim();
        return { item, index, key: numeric ? parseFloat(cell.dataset.sort ?? "") : text };
      });
      keyed.sort((one, two) => {
        const blank = (numeric ? isNaN(one.key) : one.key === "") - (numeric ? isNaN(two.key) : two.key === "");
        if (blank) return blank;
        const apart = numeric ? one.key - two.key : words.compare(one.key, two.key);
        return (apart ? sign * apart : one.index - two.index) || 0;
      });
      table.append(...keyed.map((each) => each.item));
      sorted = `, sorted by ${head.textContent.trim().toLowerCase()}, ${way}`;
      say(shown());
    };
    const toggle = (button) => {
      const item = button.closest("tbody");
      const open = !(button.getAttribute("aria-expanded") === "true");
      item.classList.toggle("open", open);
      item.classList.toggle("closed", !open);
      button.setAttribute("aria-expanded", String(open));
    };
    const arrive = () => {
      const item = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
      if (!item || !table.contains(item)) return;
      if (item.hidden) reset();
      const button = item.querySelector(".toggle");
      if (button) {
        item.classList.add("open");
        button.setAttribute("aria-expanded", "true");
      }
      item.scrollIntoView({ block: "center" });
    };

    table.tHead.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) sort(heads.indexOf(button.closest("th")), button.closest("th").classList.contains("num"));
    });
    table.addEventListener("click", (event) => {
      const button = event.target.closest(".toggle");
      if (button) toggle(button);
    });
    for (const input of inputs) input.addEventListener("change", () => { apply(); remember(); });
    search.addEventListener("input", apply);
    search.addEventListener("change", remember);
    block.querySelector("[data-reset]").addEventListener("click", () => { reset(); search.focus(); });
    window.addEventListener("hashchange", arrive);

    const asked = new URLSearchParams(location.search);
    for (const input of inputs) {
      const value = asked.get(input.dataset.filter);
      if (value !== null && [...input.options].some((option) => option.value === value)) input.value = value;
    }
    search.value = asked.get("find") ?? "";
    if (search.value || inputs.some((input) => input.value)) apply();
    arrive();
  }
});

// Shared by all pages with a script: the theme button and the search form.

const byId = (id) => document.getElementById(id);

// useTheme makes the theme button cycle through the themes and remembers the choice.
function useTheme() {
  const themes = { "": "system", light: "light", dark: "dark" };
  const button = byId("theme");
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.querySelector("span").textContent = themes[theme];
  };
  let theme = "";
  try {
    theme = localStorage.getItem("ragfaith-theme") ?? "";
  } catch {
    // sandboxed pages have no storage
  }
  apply(theme in themes ? theme : "");
  button.hidden = false;
  button.addEventListener("click", () => {
    const names = Object.keys(themes);
    theme = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
    apply(theme);
    try {
      localStorage.setItem("ragfaith-theme", theme);
    } catch {
      // the choice is lost when the page is closed
    }
  });
}

// useTools shows the search form, and calls update when its search, one of its select
// elements or its reset button changes the selection. "/" focuses the search.
function useTools(update) {
  const tools = byId("tools");
  const search = byId("search");
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, 120);
  });
  for (const select of tools.querySelectorAll("select")) {
    select.addEventListener("change", update);
  }
  tools.addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", () => {
    tools.reset();
    update();
    search.focus();
  });
  addEventListener("keydown", (event) => {
    const modified = event.altKey || event.ctrlKey || event.metaKey;
    if (event.key === "/" && !modified && !event.target.closest("input, select, dialog")) {
      event.preventDefault();
      search.focus();
    }
  });
  tools.hidden = false;
  byId("keys").hidden = false;
}

// searchWords returns the words to search for, in lower case.
const searchWords = () => byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);

// useTheme lets the button go through the themes. A browser may keep the choice.
function useTheme() {
  const themes = { "": "system", light: "light", dark: "dark" };
  const button = document.getElementById("theme");
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.querySelector("span").textContent = themes[theme];
  };
  let theme = "";
  try {
    theme = localStorage.getItem("ragfaith-theme") ?? "";
  } catch {
    // a page in a sandbox has no storage
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
      // then the choice lasts as long as the page
    }
  });
}

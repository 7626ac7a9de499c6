// Where a page has: data-(words|series)
// Elements of drawings.
const SVG = "http://www.w3.org/2000/svg";
function drawn(tag, attributes, ...inside) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...inside);
  return element;
}

/**
 * The module of Tables' part in the page. Tables adds no page of its own: the host shows its databases, its rows and every
 * change that waits. The manifest can say a title and an icon only together with a module, and this one adds nothing else.
 */
export default Object.freeze({ pages: Object.freeze({}) });

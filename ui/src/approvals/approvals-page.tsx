/** The approvals view. */
export function ApprovalsPage(_: { readonly query: URLSearchParams }) {
  return <h1 tabIndex={-1}>Approvals</h1>;
}

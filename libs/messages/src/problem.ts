/** One problem of a request: an entry of docs/api.md#errors. */
export interface Problem {
  /** Path of the field: `event`, `list[3].userId`; empty when the problem is not about a field. */
  field: string;
  message: string;
}

/** A page of a list that is in a certain order. */
export interface PageQuery {
  /**
   * Number of entries before the page; 0 by default.
   * @integer
   * @minimum 0
   * @maximum 1000000
   */
  skip?: number;
  /**
   * 50 by default.
   * @integer
   * @minimum 1
   * @maximum 100
   */
  limit?: number;
}

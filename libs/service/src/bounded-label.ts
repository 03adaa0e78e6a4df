/** A metric label whose values come from outside. It keeps the first values and replaces later ones by `other`. */
export class BoundedLabel {
  private readonly known = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.most) return 'other';
    this.known.add(value);
    return value;
  }
}

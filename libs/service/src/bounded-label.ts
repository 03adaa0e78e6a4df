/** A metric label whose values come from outside. It keeps the first values and replaces later ones by `other`. */
export class BoundedLabel {
  private readonly values = new Set<string>();

  constructor(private readonly maxValues: number) {}

  labelFor(value: string): string {
    if (this.values.has(value)) return value;
    if (this.values.size >= this.maxValues) return 'other';
    this.values.add(value);
    return value;
  }
}

/**
 * A regular expression whose matches leave out some of its groups. The translation of atomic groups needs groups that
 * the pattern's author did not write, and that must not shift the numbers of the others.
 */
export class HidingRegExp extends RegExp {
  readonly #hidden: readonly number[]

  /** @param hidden numbers of the groups that matches leave out. Copies made by `matchAll` take those of the original. */
  constructor(source: string | RegExp, flags?: string, hidden?: readonly number[]) {
    super(source, flags)
    this.#hidden = hidden ?? (source instanceof HidingRegExp ? source.#hidden : [])
  }

  override exec(text: string): RegExpExecArray | null {
    const match = super.exec(text)
    if (match === null) return null
    const groups = [...match].filter((_, number) => !this.#hidden.includes(number))
    return Object.assign(groups, { index: match.index, input: match.input, groups: match.groups }) as RegExpExecArray
  }
}

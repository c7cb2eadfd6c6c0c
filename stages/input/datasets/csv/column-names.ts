/**
 * The names of columns as pandas makes them: one without a name is `Unnamed: 2`, one whose name is taken already `name.1`.
 *
 * Source: pandas' `parsers.pyx`, `_get_header`.
 */
export function columnNames(record: readonly string[]): readonly string[] {
  const names = record.map((name, index) => (name === '' ? `Unnamed: ${index}` : name))
  const counts = new Map<string, number>()
  const countOf = (name: string): number => counts.get(name) ?? 0
  const indices = [...names.keys()]
  const isNamed = (index: number): boolean => record[index] !== ''
  for (const index of [...indices.filter(isNamed), ...indices.filter(index => !isNamed(index))]) {
    const given = names[index] ?? ''
    let name = given
    let count = countOf(given)
    while (count > 0) {
      counts.set(given, count + 1)
      name = `${given}.${count}`
      count = names.includes(name) ? count + 1 : countOf(name)
    }
    names[index] = name
    counts.set(name, count + 1)
  }
  return names
}

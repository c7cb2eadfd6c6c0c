/** Other names of filters. */
const aliases: Readonly<Record<string, string>> = { d: 'default', count: 'length', e: 'escape', forceescape: 'escape' }

export const filterNamed = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

/** All filters that a template can name: Jinja's but those that draw, look at the clock or make pages, and `regex_replace`. */
export const filterNames: readonly string[] = [
  ...Object.keys(aliases),
  ...'abs attr batch capitalize center default dictsort escape first float format groupby indent int items'.split(' '),
  ...'join last length list lower map max min regex_replace reject rejectattr replace reverse round safe'.split(' '),
  ...'select selectattr slice sort string sum title tojson trim truncate unique upper urlencode wordcount'.split(' '),
]

export const testNames: readonly string[] = [
  ...'boolean callable defined divisibleby eq equalto even false filter float ge greaterthan gt in integer'.split(' '),
  ...'iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined'.split(' '),
  'upper',
]

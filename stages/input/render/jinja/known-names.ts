/** Other names of filters. */
const aliases: Readonly<Record<string, string>> = { d: 'default', count: 'length', e: 'escape', forceescape: 'escape' }

export const filterNamed = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

/** All filters that a template can name: Jinja's but `random` and `pprint`, and `regex_replace`. */
export const filterNames: readonly string[] = [
  ...Object.keys(aliases),
  ...'abs attr batch capitalize center default dictsort escape filesizeformat first float format groupby indent int items'.split(
    ' ',
  ),
  ...'join last length list lower map max min regex_replace reject rejectattr replace reverse round safe'.split(' '),
  ...'select selectattr slice sort string striptags sum title tojson trim truncate unique upper'.split(' '),
  ...'urlencode urlize wordcount wordwrap xmlattr'.split(' '),
]

export const testNames: readonly string[] = [
  ...'boolean callable defined divisibleby eq equalto even false filter float ge greaterthan gt in integer'.split(' '),
  ...'iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined'.split(' '),
  'upper',
]

/** Why some filters of Jinja are not there. */
export const leftOut: Readonly<Record<string, string>> = {
  random: 'a prompt must be the same each time it is made. Choose with a !function from what the doc has',
  pprint: 'write the value itself, or | tojson(2)',
}

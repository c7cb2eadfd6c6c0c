import { pythonRegex } from '../../../base/python-regex.js'

/** What templates of the field call that the template library does not have. Arguments and results are plain values. */
type Method = (on: never, ...args: readonly never[]) => string | number | boolean | readonly string[]

const stringMethods = {
  find: (text: string, part: string): number => offsetOf(text, text.indexOf(part)),
  rfind: (text: string, part: string): number => offsetOf(text, text.lastIndexOf(part)),
  index(text: string, part: string): number {
    if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} is not in the text`)
    return offsetOf(text, text.indexOf(part))
  },
  count: (text: string, part: string): number => text.split(part).length - 1,
  isdigit: (text: string): boolean => /^\p{Nd}+$/u.test(text),
  isupper: (text: string): boolean => text !== text.toLowerCase() && text === text.toUpperCase(),
  islower: (text: string): boolean => text !== text.toUpperCase() && text === text.toLowerCase(),
  zfill: (text: string, width: number): string =>
    text.replace(/^([+-]?)(.*)$/su, (_, sign: string, rest: string) => sign + rest.padStart(width - sign.length, '0')),
  format: (text: string, ...args: readonly unknown[]): string => formatted(text, args),
  capitalize: (text: string): string => capitalized(text),
  title: (text: string): string => text.replace(/\p{L}+/gu, capitalized),
  strip: (text: string, chars?: string): string => stripped(stripped(text, chars, 'start'), chars, 'end'),
  lstrip: (text: string, chars?: string): string => stripped(text, chars, 'start'),
  rstrip: (text: string, chars?: string): string => stripped(text, chars, 'end'),
  removeprefix: (text: string, part: string): string => (text.startsWith(part) ? text.slice(part.length) : text),
  removesuffix: (text: string, part: string): string =>
    part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text,
  splitlines: (text: string): readonly string[] =>
    text === '' ? [] : text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/),
}

const listMethods = {
  index(list: readonly unknown[], item: unknown): number {
    const found = list.indexOf(item)
    if (found < 0) throw new Error(`${JSON.stringify(item)} is not in the list`)
    return found
  },
  count: (list: readonly unknown[], item: unknown): number => list.filter(one => one === item).length,
}

/** Names of methods that are looked up here first. */
export const knownMethods: ReadonlySet<string> = new Set([...Object.keys(stringMethods), ...Object.keys(listMethods)])

/** Python's method of a value, where it is one of these. */
export function pythonMethod(on: unknown, name: string): Method | undefined {
  const methods: Readonly<Record<string, unknown>> | undefined =
    typeof on === 'string' ? stringMethods : Array.isArray(on) ? listMethods : undefined
  return methods !== undefined && Object.hasOwn(methods, name) ? (methods[name] as Method) : undefined
}

/** The first letter capital, the others small. */
export const capitalized = (text: string): string => {
  const [first = '', ...rest] = Array.from(text)
  return first.toUpperCase() + rest.join('').toLowerCase()
}

/** Without any of `chars`, or without white space, at one end. */
function stripped(text: string, chars: string | undefined, end: 'start' | 'end'): string {
  if (chars === undefined) return end === 'start' ? text.trimStart() : text.trimEnd()
  const all = Array.from(text)
  const isKept = (char: string): boolean => !chars.includes(char)
  const at = end === 'start' ? all.findIndex(isKept) : all.findLastIndex(isKept)
  if (at < 0) return ''
  return (end === 'start' ? all.slice(at) : all.slice(0, at + 1)).join('')
}

/** Python counts characters, JavaScript halves of them. */
const offsetOf = (text: string, at: number): number => (at < 0 ? at : Array.from(text.slice(0, at)).length)

/** `'{} of {1}'.format(…)`: plain places, by order or by number. */
function formatted(text: string, args: readonly unknown[]): string {
  let next = 0
  return text.replace(/\{\{|\}\}|\{(\d*)\}|[{}]/g, (part: string, number?: string) => {
    if (part === '{{' || part === '}}') return part.slice(1)
    if (number === undefined) throw new Error(`format: only {} and {0} are known, not ${JSON.stringify(text)}`)
    const at = number === '' ? next++ : Number(number)
    if (at >= args.length) throw new Error(`format: there is no argument ${at}`)
    return String(args[at])
  })
}

/** lmms-eval's own filter: `re.sub(pattern, replacement, text, count)`; 0 is all. */
export function regexReplace(text: string, pattern: string, replacement: string, count = 0): string {
  let left = count === 0 ? Infinity : count
  return text.replace(pythonRegex(pattern, 'g'), (...found: readonly unknown[]) => {
    if (left-- <= 0) return String(found[0])
    const named = typeof found.at(-1) === 'object' ? (found.at(-1) as Readonly<Record<string, string | undefined>>) : {}
    return replacement.replace(
      /\\(?:g<(\w+)>|(\d{1,2})|([nrt\\]))/g,
      (_, name?: string, digits?: string, escape?: string) => {
        if (escape !== undefined) return { n: '\n', r: '\r', t: '\t' }[escape] ?? '\\'
        const group = digits ?? (/^\d+$/.test(name ?? '') ? name : undefined)
        const value = group === undefined ? named[name ?? ''] : found[Number(group)]
        return typeof value === 'string' ? value : ''
      },
    )
  })
}

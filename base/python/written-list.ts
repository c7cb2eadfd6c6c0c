import { pythonFloat, PythonNumber } from './python-text.js'

type ReadNumber = (source: string) => unknown

/** Parses a list in JSON or in Python's notation: `["a", "b"]`, `['a', None]`. Returns `undefined` for any other text. */
export const parseList = (text: string): readonly unknown[] | undefined => listIn(text)

/**
 * Parses a list as {@link parseList} does. Numbers with a fraction or an exponent are floating-point, as in Python, and
 * whole numbers keep all digits.
 */
export const parseTypedList = (text: string): readonly unknown[] | undefined => listIn(text, readTyped)

function readTyped(source: string): unknown {
  const value = Number(source)
  if (/[.eE]/.test(source)) return pythonFloat(value)
  return Number.isSafeInteger(value) ? value : new PythonNumber(source, source)
}

function listIn(text: string, read?: ReadNumber): readonly unknown[] | undefined {
  if (!/^\s*[[(]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text, read && withNumbers(read))
    return Array.isArray(value) ? (value as readonly unknown[]) : undefined
  } catch {
    return parsePythonList(text, read ?? Number) // Not JSON, so it is Python's notation or no list.
  }
}

/** A reviver gets the source of a primitive value since Node 21. TypeScript's library does not declare it yet. */
const withNumbers =
  (read: ReadNumber) =>
  (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined ? read(context.source) : value

const token =
  /\s*(?:([[\](),])|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(True|False|None))\s*/y

function parsePythonList(text: string, read: ReadNumber): readonly unknown[] | undefined {
  const outer: unknown[] = []
  const open: unknown[][] = [outer]
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (match === null) return undefined
    const [, sign, single, double, number, word] = match
    const list = open.at(-1)
    if (list === undefined) return undefined
    if (sign === '[' || sign === '(') {
      const inner: unknown[] = []
      list.push(inner)
      open.push(inner)
    } else if (sign === ']' || sign === ')') open.pop()
    else if (sign === undefined) list.push(number === undefined ? parseListValue(single ?? double, word) : read(number))
  }
  const [list] = outer
  return open.length === 1 && outer.length === 1 && Array.isArray(list) ? (list as readonly unknown[]) : undefined
}

function parseListValue(text: string | undefined, word: string | undefined): unknown {
  if (text !== undefined) return text.replace(escape, decodeEscape)
  return word === 'None' ? null : word === 'True'
}

const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(00(?:0[\da-fA-F]|10)[\da-fA-F]{4})|(.))/g

/** Decodes escapes as Python does. An unknown escape keeps its backslash. */
function decodeEscape(whole: string, ...[two, four, eight, char]: readonly (string | undefined)[]): string {
  const code = two ?? four ?? eight
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
  return escapes[char ?? ''] ?? whole
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"' },
}

/** Parses a list in JSON or in Python's notation: `["a", "b"]`, `['a', None]`. Returns `undefined` for any other text. */
export function parseList(text: string): readonly unknown[] | undefined {
  if (!/^\s*[[(]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? (value as readonly unknown[]) : undefined
  } catch {
    return parsePythonList(text) // Not JSON, so it is Python's notation or no list.
  }
}

const token =
  /\s*(?:([[\](),])|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(True|False|None))\s*/y

function parsePythonList(text: string): readonly unknown[] | undefined {
  const outer: unknown[] = []
  const open: unknown[][] = [outer]
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const found = token.exec(text)
    if (found === null) return undefined
    const [, sign, single, double, number, word] = found
    const list = open.at(-1)
    if (list === undefined) return undefined
    if (sign === '[' || sign === '(') {
      const inner: unknown[] = []
      list.push(inner)
      open.push(inner)
    } else if (sign === ']' || sign === ')') open.pop()
    else if (sign === undefined) list.push(valueOf(single ?? double, number, word))
  }
  const [list] = outer
  return open.length === 1 && outer.length === 1 && Array.isArray(list) ? (list as readonly unknown[]) : undefined
}

function valueOf(text: string | undefined, number: string | undefined, word: string | undefined): unknown {
  if (text !== undefined) return text.replace(escape, unescaped)
  if (number !== undefined) return Number(number)
  return word === 'None' ? null : word === 'True'
}

const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(00(?:0[\da-fA-F]|10)[\da-fA-F]{4})|(.))/g

/** Decodes escapes as Python does. An unknown escape keeps its backslash. */
function unescaped(whole: string, ...[two, four, eight, char]: readonly (string | undefined)[]): string {
  const code = two ?? four ?? eight
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
  return escapes[char ?? ''] ?? whole
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"' },
}

/** Reads `.env` files as shells, Docker and python-dotenv do. */

/** The variables of an `.env` file. */
export interface ReadEnvFile {
  readonly variables: Readonly<Record<string, string>>
  /** The lines that are no variable, with the reason. Their text is not shown, because it may be a secret. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[]
}

/** Decodes a text in UTF-8, or in UTF-16 as editors and PowerShell on Windows write it. */
export function decodeEnvFile(bytes: Uint8Array): string {
  const [first, second] = bytes
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)
  const encoding = bytes.length < 2 ? 'utf-8' : isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8'
  // The decoder removes the byte-order mark.
  return new TextDecoder(encoding).decode(bytes)
}

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=/

/**
 * Reads the variables of a file, the last of a name. A `#` begins a comment only at the start of a line or behind white space. In single quotes and
 * backticks everything stands for itself. In double quotes, `\n`, `\r`, `\t`, `\"`, `\\` and `\$` are escapes. Quoted values may have several lines.
 */
export function parseEnvFile(text: string): ReadEnvFile {
  const variables: Record<string, string> = {}
  const problems: { line: number; reason: string }[] = []
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (/^\s*(?:#|$)/.test(line)) continue
    const [head, name] = assignment.exec(line) ?? []
    if (head === undefined || name === undefined) {
      problems.push({ line: at + 1, reason: 'it is no NAME=value' })
      continue
    }
    const rest = line.slice(head.length)
    const quoted = readQuoted([rest, ...lines.slice(at + 1)])
    if (quoted === undefined) variables[name] = readPlain(rest)
    else if ('problem' in quoted) {
      problems.push({ line: at + 1, reason: `${name} ${quoted.problem}` })
      variables[name] = readPlain(rest)
    } else {
      variables[name] = quoted.value
      at += quoted.lines - 1
    }
  }
  return { variables, problems }
}

const readPlain = (rest: string): string => rest.replace(/[ \t]#.*$/, '').trim()

type Quoted = { readonly value: string; readonly lines: number } | { readonly problem: string }

/** Reads a value in quotation marks, which may end on a later line. @returns undefined if the value begins with none */
function readQuoted(lines: readonly string[]): Quoted | undefined {
  const [first = ''] = lines
  const [head, quote] = /^[ \t]*(["'`])/.exec(first) ?? []
  if (head === undefined || quote === undefined) return undefined
  const end = quote === '"' ? /^(?:[^"\\]|\\[^])*"/ : new RegExp(`^[^${quote}]*${quote}`)
  let text = first.slice(head.length)
  for (let count = 1; count <= lines.length; count += 1) {
    const [found] = end.exec(text) ?? []
    if (found !== undefined) {
      const behind = text.slice(found.length)
      if (!/^[ \t]*(?:[ \t]#.*|#.*)?$/.test(behind)) return { problem: 'has text behind its closing quotation mark' }
      const value = found.slice(0, -1)
      return { value: quote === '"' ? unescape(value) : value, lines: count }
    }
    text += `\n${lines[count] ?? ''}`
  }
  return { problem: 'has no closing quotation mark' }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' }

const unescape = (text: string): string =>
  text.replace(/\\([^])/g, (sequence, character: string) => escapes[character] ?? sequence)

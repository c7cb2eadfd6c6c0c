/** Words the mistakes of a YAML file in the terms of its writer. */
import { isCollection, isMap, isNode, visit, type Document } from 'yaml'
import { command } from '../errors/option-words.js'

/** A mistake at an offset of the text. */
export interface YamlProblem {
  readonly offset: number
  readonly message: string
}

/** An error or warning of the YAML library. */
interface YamlRemark {
  readonly code: string
  readonly pos: readonly [number, number]
  readonly message: string
}

/**
 * Lists the mistakes of a parsed YAML file, the first of each line. What the parser says after it lost its way is left out: one missing pair of quotes
 * would be reported once for each word behind it.
 *
 * @param found the errors and warnings of the document that count
 * @param words.name the file's name, for a command that is suggested
 * @param words.secondDocument the message for a second document in the file
 */
export function listYamlProblems(
  document: Document,
  text: string,
  found: readonly YamlRemark[],
  words: { readonly name: string; readonly secondDocument: string },
): readonly YamlProblem[] {
  const isWhole = found.length === 0 && isMap(document.contents)
  if (!isWhole && isJsonLines(text)) return [{ offset: 0, message: dataMessage('JSON lines', words.name) }]
  if (!isWhole && isTable(text)) return [{ offset: 0, message: dataMessage('a table', words.name) }]
  const templates = findBareTemplates(document)
  if (found.length === 0) return templates.map(offset => ({ offset, message: quoteTemplate(text, offset) }))
  const sorted = [...found].sort((a, b) => a.pos[0] - b.pos[0])
  const first = sorted.find(({ code }) => isLost(code))?.pos[0] ?? Infinity
  const problems = new Map<number, YamlProblem>()
  for (const { code, pos, message } of sorted) {
    const [offset] = pos
    const line = text.lastIndexOf('\n', offset - 1)
    if (problems.has(line) || (offset > first && isLost(code))) continue
    const isTemplate = code !== 'MULTIPLE_DOCS' && /:\s*[^"'\s|>#].*\{[{%]|:\s*\{[{%]/.test(readLine(text, offset))
    problems.set(line, {
      offset,
      message: isTemplate
        ? quoteTemplate(text, offset)
        : code === 'MULTIPLE_DOCS'
          ? words.secondDocument
          : explain(message),
    })
  }
  return [...problems.values()]
}

/** Errors that follow from an earlier one, unless they are the first. */
const isLost = (code: string): boolean => code === 'UNEXPECTED_TOKEN' || code === 'MISSING_CHAR'

function readLine(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  return text.slice(start, end < 0 ? undefined : end).trim()
}

/** Says how a template is written, with its line. */
function quoteTemplate(text: string, offset: number): string {
  const [, key = '', value = ''] = /^(?:- )?([\w.-]+):\s*(.*?)\s*$/.exec(readLine(text, offset)) ?? []
  const isClear = key !== '' && !/["']|^\[/.test(value) && value.length <= 60
  const example = isClear ? `${key}: "${value}"` : '"{{question}}"'
  return `a template needs quotes around the whole value: ${example}`
}

/** Finds `{{…}}` without quotes, which YAML reads as a mapping whose key is a mapping. @returns the offsets */
function findBareTemplates(document: Document): readonly number[] {
  const offsets: number[] = []
  visit(document, {
    Map(_, map) {
      const [first] = map.items
      if (map.flow !== true || !isCollection(first?.key) || first.key.flow !== true) return undefined
      offsets.push(isNode(map) ? (map.range?.[0] ?? 0) : 0)
      return visit.SKIP
    },
  })
  return offsets
}

const explanations: readonly (readonly [RegExp, string])[] = [
  [/^.* at node end$/, 'nothing may follow this value on its line: put the whole value in quotes'],
  [/^Nested mappings are not allowed.*/, 'a value with ": " in it needs quotes'],
  [/^Plain value cannot start with .*?(\S)$/, 'a value that begins with $1 needs quotes'],
  [/^Alias cannot be an empty string$/, 'a value that begins with * needs quotes'],
  [/^Tabs are not allowed as indentation$/, 'a tab is no indentation in YAML: write spaces'],
  [/^(?:Map )?keys must be unique$/i, 'this key stands twice: keep one of them'],
  [/^Flow (?:sequence|map) in block collection must.*(\S)$/, 'the closing $1 is missing'],
  [
    /^All (?:mapping|sequence|collection) items must start at the same column$/,
    'this line is not indented as the lines that it belongs to',
  ],
  [/^Implicit (?:map )?keys need.*/, 'expected "key: value" on this line'],
  [/^Missing closing (["']).*/, 'the closing $1 is missing'],
  [/^Unexpected (.*?)(?: token)?(?: in YAML stream)?(?:: (".*"))?$/, 'this is no YAML: an unexpected $1 $2'],
]

/** Replaces words of the YAML library. */
function explain(message: string): string {
  const [pattern, words] = explanations.find(([form]) => form.test(message)) ?? []
  return pattern === undefined || words === undefined ? message : message.replace(pattern, words).trim()
}

const dataMessage = (what: string, name: string): string =>
  `this is ${what}, which is data and no YAML. Write a task for it: ${command('tasks new', ['NAME'], { from: name })}`

/** Tells whether the first two lines are JSON objects. */
function isJsonLines(text: string): boolean {
  const lines = text.split('\n', 20).filter(line => line.trim() !== '')
  return lines.length > 1 && lines.slice(0, 2).every(isJsonObject)
}

function isJsonObject(line: string): boolean {
  if (!line.trim().startsWith('{')) return false
  try {
    JSON.parse(line)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Tells whether the first line is the header of a table: names with commas or tabs between. */
function isTable(text: string): boolean {
  const [header = '', first = ''] = text.split(/\r?\n/, 2)
  const separator = header.includes('\t') ? '\t' : ','
  const names = header.split(separator)
  return names.length > 1 && names.every(name => /^"?[\w .-]+"?$/.test(name)) && first.includes(separator)
}

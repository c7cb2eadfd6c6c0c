import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { checkedTypes, type ForeignTests } from './foreign-tests.js'
import { readCsvTests } from './promptfoo-csv.js'
import { readSource, type Path, type Source } from './promptfoo-source.js'
import { printValue, printVariables, splitValues } from './promptfoo-values.js'

interface Config extends Source {
  readonly values: JsonObject
}

/**
 * Reads the prompts and tests of a promptfoo configuration (YAML or JSON). Providers are left out.
 *
 * @throws PipelineError if the file is damaged, or has no prompt or no test that can be translated
 */
export async function readPromptfooConfig(file: string): Promise<ForeignTests> {
  const config = await readConfig(file)
  const untranslated: string[] = []
  const { prompts, tests, defaultTest } = config.values
  const read = await readPrompts(prompts, config, untranslated)
  const common = isObject(defaultTest) ? defaultTest : {}
  if (defaultTest !== undefined && !isObject(defaultTest))
    untranslated.push(`${config.at(['defaultTest'])}  defaultTest: only a mapping is translated`)
  const commonOptions = describeOptions(common)
  const shared = readChecks(common, { vars: {}, path: ['defaultTest'], source: config, left: untranslated })
  const placed = await listTests(tests, config, untranslated)
  if (commonOptions !== undefined)
    untranslated.push(`${config.at(['defaultTest', ...commonOptions.path])}  defaultTest: ${commonOptions.text}`)
  const context = { common, shared, prompts: read, left: untranslated }
  const rows =
    commonOptions?.isDecisive === true ? [] : placed.flatMap((test, index) => readTest(test, { ...context, index }))
  if (read.length === 0 || rows.length === 0)
    throw new PipelineError('dataset', [
      `${shownPath(file)} has no ${read.length === 0 ? 'prompt' : 'test'} that can be translated`,
      ...untranslated,
    ])
  const unused = ['scenarios', 'assertionTemplates', 'nunjucksFilters', 'derivedMetrics']
  for (const key of unused)
    if (config.values[key] !== undefined) untranslated.push(`${config.at([key])}  ${key}: not translated`)
  return { prompts: read, rows, hasChecks: true, left: untranslated }
}

async function readConfig(file: string): Promise<Config> {
  const source = await readSource(file)
  if (!isObject(source.values)) throw new PipelineError('dataset', `${shownPath(file)} holds no mapping of promptfoo`)
  return { ...source, values: source.values }
}

/** A test with its position in the configuration, or in a file that the configuration names. */
interface PlacedTest {
  readonly test: Json
  readonly path: Path
  readonly source: Source
}

async function listTests(
  tests: Json | undefined,
  config: Config,
  untranslated: string[],
): Promise<readonly PlacedTest[]> {
  const placed: PlacedTest[] = []
  const entries = isList(tests) ? tests.map((test, index) => ({ test, path: ['tests', index] })) : []
  if (tests !== undefined && !isList(tests)) entries.push({ test: tests, path: ['tests'] })
  for (const { test, path } of entries) {
    if (typeof test !== 'string') {
      placed.push({ test, path, source: config })
      continue
    }
    const file = resolve(dirname(config.file), test.replace(/^file:\/\//, ''))
    if (!/\.(ya?ml|jsonl?|csv)$/.test(file) || !existsSync(file)) {
      const problem = existsSync(file)
        ? 'only YAML, JSON, JSONL and CSV files are translated'
        : `no file ${shownPath(file)}`
      untranslated.push(`${config.at(path)}  tests: ${problem}`)
      continue
    }
    const source = await (file.endsWith('.csv') ? readCsvTests(file) : readSource(file))
    const list = isList(source.values) ? source.values : [source.values]
    placed.push(...list.map((entry, index) => ({ test: entry, path: isList(source.values) ? [index] : [], source })))
  }
  return placed
}

async function readPrompts(
  prompts: Json | undefined,
  config: Config,
  untranslated: string[],
): Promise<readonly string[]> {
  const texts: string[] = []
  for (const [index, prompt] of (isList(prompts) ? prompts : [prompts]).entries()) {
    const place = config.at(isList(prompts) ? ['prompts', index] : ['prompts'])
    const value = isObject(prompt) ? (prompt['raw'] ?? prompt['id']) : prompt
    const read = typeof value === 'string' ? await readPrompt(value, config.file) : undefined
    if (read === undefined) untranslated.push(`${place}  prompts: only texts and files of text are translated`)
    for (const text of read ?? [])
      if (/^\s*\[\s*\{/.test(text))
        untranslated.push(`${place}  prompts: a prompt of several messages is not translated`)
      else texts.push(text)
  }
  return texts
}

/** Reads the prompts of a text or a file. A `.txt` file has several, with a line of `---` between. Returns undefined for code, and for a file that is missing. */
async function readPrompt(textOrPath: string, file: string): Promise<readonly string[] | undefined> {
  const isNamed = textOrPath.startsWith('file://') || /^\S+\.(txt|md|j2|[cm]?[jt]s|py|json|ya?ml|csv)$/.test(textOrPath)
  if (!isNamed) return [textOrPath]
  const path = resolve(dirname(file), textOrPath.replace(/^file:\/\//, ''))
  if (!/\.(txt|md|j2)$/.test(path) || !existsSync(path)) return undefined
  const text = await readFile(path, 'utf8')
  if (!path.endsWith('.txt')) return [text]
  return text
    .split(/^[ \t]*---[ \t]*\r?$/m)
    .map(part => part.trim())
    .filter(part => part !== '')
}

interface UntranslatedOption {
  readonly path: Path
  readonly text: string
  /** True if answers would be scored wrongly without it. */
  readonly isDecisive: boolean
}

/** Finds a setting of a test that is not translated, the most important first. */
function describeOptions(test: JsonObject): UntranslatedOption | undefined {
  const { options } = test
  const names = Object.keys(isObject(options) ? options : {})
  const makeOption = (path: Path, isDecisive: boolean): UntranslatedOption => ({
    path,
    text: `${path.join('.')} is not translated`,
    isDecisive,
  })
  const decisive = names.find(name => decisiveOptions.has(name))
  if (decisive !== undefined) return makeOption(['options', decisive], true)
  if (test['assertScoringFunction'] !== undefined) return makeOption(['assertScoringFunction'], true)
  const [other] = names
  return other === undefined ? undefined : makeOption(['options', other], false)
}

/** The options that change the prompt, or the answer before it is checked. */
const decisiveOptions: ReadonlySet<string> = new Set([
  ...['transform', 'postprocess', 'prefix', 'suffix', 'transformVars', '__providerOutput'],
])

interface TestContext {
  readonly common: JsonObject
  /** The conditions of `defaultTest`. */
  readonly shared: readonly JsonObject[]
  readonly prompts: readonly string[]
  readonly index: number
  readonly left: string[]
}

function readTest(
  { test, path, source }: PlacedTest,
  { common, shared, prompts, index, left }: TestContext,
): readonly JsonObject[] {
  const place = source.at(path)
  const name = isObject(test) && typeof test['description'] === 'string' ? test['description'] : `test ${index + 1}`
  if (!isObject(test)) {
    left.push(`${place}  ${name}: only a mapping is translated`)
    return []
  }
  const vars = { ...(isObject(common['vars']) ? common['vars'] : {}), ...(isObject(test['vars']) ? test['vars'] : {}) }
  const wrong = Object.entries(vars).find(
    ([key, value]) => isList(value) || isFileName(value) || key === 'checks' || key === 'threshold',
  )?.[0]
  if (wrong !== undefined) {
    left.push(`${place}  ${name}: the variable ${wrong} is a list, names a file, or has a name that is taken`)
    return []
  }
  const printed = printVariables(vars, prompts)
  if ('wrong' in printed) {
    left.push(`${place}  ${name}: the variable ${printed.wrong} is no text, and a prompt uses it as more than one`)
    return []
  }
  const option = describeOptions(test)
  if (option !== undefined) {
    left.push(`${source.at([...path, ...option.path])}  ${name}: ${option.text}`)
    if (option.isDecisive) return []
  }
  const own = readChecks(test, { vars, path, source, left })
  const checks = [...shared, ...own]
  if (checks.length === 0) {
    left.push(`${place}  ${name}: it has no condition that can be translated`)
    return []
  }
  const threshold = test['threshold'] ?? common['threshold']
  return [
    {
      ...{ id: String(index), description: name, ...printed.values, checks },
      ...(typeof threshold === 'number' ? { threshold } : {}),
    },
  ]
}

const isFileName = (value: Json | undefined): boolean => typeof value === 'string' && value.startsWith('file://')

/** Reads the conditions of a test, and notes those that cannot be translated. */
function readChecks(
  test: JsonObject,
  {
    vars,
    path,
    source,
    left,
  }: { readonly vars: JsonObject; readonly path: Path; readonly source: Source; readonly left: string[] },
): readonly JsonObject[] {
  const { assert } = test
  return (isList(assert) ? assert : []).flatMap((assertion, index) => {
    const type = isObject(assertion) && typeof assertion['type'] === 'string' ? assertion['type'] : 'assertion'
    const filled = isObject(assertion) ? fillVariables(assertion['value'], vars) : undefined
    const value = /-(any|all)$/.test(type) && typeof filled === 'string' ? splitValues(filled) : filled
    const reason = !isObject(assertion) ? 'expected a mapping' : findProblem(type, value, assertion)
    if (reason === undefined && isObject(assertion))
      return [
        {
          type,
          ...makeLimit(type, value, assertion),
          weight:
            assertion['metricOnly'] === true ? 0 : typeof assertion['weight'] === 'number' ? assertion['weight'] : 1,
        },
      ]
    left.push(`${source.at([...path, 'assert', index])}  ${type}: ${reason ?? ''}`)
    return []
  })
}

/** The value of a condition. Of latency it is a number of milliseconds, and of cost a number of dollars. */
const makeLimit = (type: string, value: Json | undefined, { threshold }: JsonObject): JsonObject =>
  hasLimit(type) ? { value: threshold ?? null } : value === undefined ? {} : { value }

const hasLimit = (type: string): boolean => /^(not-)?(latency|cost)$/.test(type)

function findProblem(type: string, value: Json | undefined, check: JsonObject): string | undefined {
  const plain = type.replace(/^not-/, '')
  if (!checkedTypes.some(checkedType => checkedType === plain)) return 'this type is not translated'
  if (check['transform'] !== undefined) return 'a transform is not translated'
  if (hasLimit(type)) return typeof check['threshold'] === 'number' ? undefined : 'expected a number as its threshold'
  if (plain === 'llm-rubric' && check['threshold'] !== undefined) return 'its threshold is not translated'
  if (plain === 'llm-rubric' && check['provider'] !== undefined)
    return 'its provider is not translated. Without a provider, --judge-model names the judge'
  const all = isList(value) ? value : [value]
  if (all.some(isFileName)) return 'a value from a file is not translated'
  if (all.some(entry => typeof entry === 'string' && entry.includes('{{'))) return 'its template is not translated'
  if (plain === 'is-json') return value === undefined ? undefined : 'a schema is not translated'
  if (/-(any|all)$/.test(plain))
    return isList(value) || typeof value === 'string' ? undefined : 'expected a list of texts'
  return typeof value === 'string' || typeof value === 'number' ? undefined : 'expected a text as its value'
}

/** Puts variables into a value. Templates that are more than a variable's name stay. */
function fillVariables(value: Json | undefined, vars: JsonObject): Json | undefined {
  if (isList(value)) return value.map(inner => fillVariables(inner, vars) ?? null)
  if (typeof value !== 'string') return value
  return value.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const variableValue = Object.hasOwn(vars, name) ? vars[name] : undefined
    return variableValue === undefined || typeof variableValue === 'object' ? whole : printValue(variableValue)
  })
}

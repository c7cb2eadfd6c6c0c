import { type MistakeWording, schemaMistakes, type SchemaMistake } from '../../base/errors/schema-mistakes.js'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { readText } from '../../base/files/files.js'
import { inOrderOfPlaces } from '../../base/errors/place-order.js'
import { shownPath } from '../../base/files/shown-path.js'
import { didYouMean } from '../../base/text/suggest.js'
import { codeRoot, isBuilt, projectRoot } from '../../cache/code/project-root.js'
import { sha256 } from '../../cache/digest.js'
import { mergePrices, type PriceTable } from '../../stages/model/budget/price.js'
import { listBackends } from '../../stages/model/registry.js'
import { parseYamlMapping, type YamlMapping } from '../config/file/yaml-mapping.js'

/** The shipped price table. */
export const shippedPrices = join(projectRoot, 'examples/prices.yaml')

/** The shipped table, which scripts/stamp.mjs parses at build time. */
export const builtPrices = join(codeRoot, 'prices.json')

const dollars = z.number().nonnegative()
const rates = { input: dollars, output: dollars, cached: dollars.optional() }
const priceSchema = z.strictObject({
  ...rates,
  audio: dollars.optional(),
  above: z.strictObject({ tokens: z.int().positive(), ...rates }).optional(),
  batch: z.number().positive().max(1).optional(),
  date: z.string().optional(),
  source: z.string().optional(),
})
const tableSchema = z.record(z.string(), z.record(z.string(), priceSchema))

/**
 * Reads the shipped prices, overridden by those of a file.
 *
 * @param pluginBackends names of backends that are not built in
 * @throws PipelineError that names every mistake with file:line:column.
 */
export async function readPrices(file?: string, pluginBackends: readonly string[] = []): Promise<PriceTable> {
  const shipped = await readShipped()
  if (file === undefined) return shipped
  return mergePrices(shipped, parsePrices(await priceText(file), file, pluginBackends))
}

async function readShipped(): Promise<PriceTable> {
  const text = await readFile(shippedPrices, 'utf8')
  const built = isBuilt ? (JSON.parse(await readFile(builtPrices, 'utf8')) as BuiltPrices) : undefined
  // The table was edited after the build.
  return built?.digest === sha256(text) ? built.table : parsePrices(text, shippedPrices)
}

interface BuiltPrices {
  readonly digest: string
  readonly table: PriceTable
}

/** Parses the text of one price table, as {@link readPrices} does. */
export function parsePrices(text: string, path: string, pluginBackends: readonly string[] = []): PriceTable {
  const mapping = parseYamlMapping(text, shownPath(path))
  const ids = new Map(listBackends([]).flatMap(({ id, aliases }) => [id, ...aliases].map(name => [name, id] as const)))
  for (const name of ['*', ...pluginBackends]) ids.set(name, name)
  const problems = Object.keys(mapping.value)
    .filter(name => !ids.has(name))
    .map(name => unknownBackend(name, mapping, [...ids.keys()]))
  const parsed = tableSchema.safeParse(mapping.value)
  const mistakes = schemaMistakes(parsed.error?.issues ?? [], mapping.value, wording)
  problems.push(...mistakes.map(mistake => formatProblem(mistake, mapping)))
  if (problems.length > 0 || !parsed.success) throw new PipelineError('config', inOrderOfPlaces(problems))
  return Object.entries(parsed.data).reduce<PriceTable>(
    (table, [name, models]) => mergePrices(table, { [ids.get(name) ?? name]: models }),
    {},
  )
}

const unknownBackend = (name: string, mapping: YamlMapping, backends: readonly string[]): string =>
  `${mapping.placeOfKey(name)}  ${name}: no such backend.${didYouMean(name, backends)}   (${command('models list')}, or "*" for any)`

function formatProblem({ path, text, isUnknownKey }: SchemaMistake, mapping: YamlMapping): string {
  const missing =
    text.startsWith('is missing') && path.length > 2 ? 'is missing: dollars per million tokens' : undefined
  const outer = isUnknownKey ? path.slice(0, -1) : path
  const key = isUnknownKey ? `: ${String(path.at(-1))}` : ''
  return `${mapping.placeOf(path)}  ${outer.map(String).join(' ')}${key}: ${missing ?? text}`
}

const wording: MistakeWording = {
  known: path => Object.keys(path.includes('above') ? rates : priceSchema.shape),
  expected: path => (path.length < 3 ? 'a model with its prices, such as {input: 0.5, output: 1.5}' : undefined),
}

/** Reads the text of a table. @throws PipelineError if it cannot be read */
export async function priceText(path: string): Promise<string> {
  try {
    return await readText(path)
  } catch (error) {
    throw new PipelineError('config', `${option('prices')} ${path}: ${messageOf(error)}`, { cause: error })
  }
}

import { isAbsolute, join, dirname, resolve } from 'node:path'
import { messageOf, systemCode } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { readYamlFile, type YamlFile } from './yaml-file.js'

/** A task file with everything that it includes, and the origin of each key. */
export interface ResolvedYaml {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly origins: ReadonlyMap<string, YamlFile>
  readonly problems: readonly string[]
  /** Notes on the files, as `file:line:column  text`. */
  readonly notes: readonly string[]
  /** Returns `file:line:column` of a value. */
  at(path: readonly PropertyKey[]): string
}

/**
 * Reads layers of keys (files or parts of them) with their includes. The first layer wins, then its includes, the
 * first listed first. A key replaces the whole value of the same key. The last layer's file names the result.
 */
export async function resolveYaml(...layers: readonly (string | YamlFile)[]): Promise<ResolvedYaml> {
  const problems: string[] = []
  const notes: string[] = []
  const origins = new Map<string, YamlFile>()
  let top: YamlFile | undefined
  for (const layer of layers) top = await collect(layer, { origins, problems, notes, chain: [] })
  if (top === undefined) throw new Error('internal error: no layers')
  const last = top
  const values = Object.fromEntries([...origins].map(([key, origin]) => [key, origin.values[key]]))
  const at = (path: readonly PropertyKey[]): string => (origins.get(String(path[0])) ?? last).at(path)
  return { file: last.file, values, origins, problems, notes, at }
}

/** Makes a layer of keys and values at a `path` within a file. */
export function makeYamlLayer(
  { at, file }: Pick<ResolvedYaml, 'at' | 'file'>,
  path: readonly PropertyKey[],
  values: Readonly<Record<string, unknown>>,
): YamlFile {
  const locate = (inner: readonly PropertyKey[]): string => at([...path, ...inner])
  return { file, values, problems: [], notes: [], at: locate, atKey: locate }
}

interface Collecting {
  readonly origins: Map<string, YamlFile>
  readonly problems: string[]
  readonly notes: string[]
  readonly chain: readonly string[]
}

async function collect(layer: string | YamlFile, into: Collecting): Promise<YamlFile> {
  const yaml = typeof layer === 'string' ? await readYamlFile(resolve(layer)) : layer
  const { file } = yaml
  for (const problem of yaml.problems) into.problems.push(problem)
  for (const note of yaml.notes) into.notes.push(note)
  for (const key of Object.keys(yaml.values))
    if (key !== 'include' && !into.origins.has(key)) into.origins.set(key, yaml)
  for (const [index, name] of readIncludes(yaml, into.problems).entries()) {
    const path = typeof yaml.values['include'] === 'string' ? ['include'] : ['include', index]
    await include({ name, yaml, location: yaml.at(path) }, { ...into, chain: [...into.chain, file] })
  }
  return yaml
}

async function include(reference: { name: string; yaml: YamlFile; location: string }, into: Collecting): Promise<void> {
  const file = isAbsolute(reference.name) ? reference.name : join(dirname(reference.yaml.file), reference.name)
  if (into.chain.includes(file)) {
    const circle = [...into.chain.slice(into.chain.indexOf(file)), file].map(path => shownPath(path))
    into.problems.push(`${reference.location}  include goes in a circle: ${circle.join(' → ')}`)
    return
  }
  try {
    await collect(file, into)
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    const what = code === 'ENOENT' ? `no file ${reference.name} beside it` : `${reference.name}: ${messageOf(error)}`
    into.problems.push(`${reference.location}  include: ${what}`)
  }
}

function readIncludes(yaml: YamlFile, problems: string[]): readonly string[] {
  const value = yaml.values['include']
  if (value === undefined) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const names = list.filter(name => typeof name === 'string')
  if (names.length < list.length) problems.push(`${yaml.at(['include'])}  include: expected a file or a list of files`)
  return names
}

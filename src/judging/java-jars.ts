import { ownValue } from '../../base/named-values.js'
import { PipelineError } from '../../base/errors.js'
import { expectFileSync, FileError } from '../../base/files.js'
import type { Json } from '../../base/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'

/** Metrics that are programs in Java, with the variables of the environment that say where their jars are. */
const variables: Readonly<Record<string, { readonly variable: string; readonly program: string }>> = {
  meteor: { variable: 'METEOR_JAR', program: 'METEOR' },
  spice: { variable: 'SPICE_JAR', program: 'SPICE' },
}

/**
 * A task's scoring with the jars of the environment in those of its entries that need one and name none. Without one an entry that is
 * `optional` only collects answers: such a program is not part of this one, and a benchmark has other measures beside it.
 *
 * @throws PipelineError where a jar is a folder, a pipe or a device.
 */
export function withJars(config: JsonObject, env: NodeJS.ProcessEnv): JsonObject {
  const { metric_list: entries } = config
  if (!isList(entries)) return config
  return { ...config, metric_list: entries.map(entry => (isEntry(entry) ? placed(entry, env) : entry)) }
}

function placed(whole: JsonObject, env: NodeJS.ProcessEnv): JsonObject {
  const { optional, ...entry } = whole
  const metric = typeof entry['metric'] === 'string' ? entry['metric'] : ''
  const known = ownValue(variables, metric)
  if (known === undefined) return whole
  const own = entry['jar']
  if (own !== undefined) {
    if (typeof own === 'string') refuseOther(own, `metric ${metric}, jar`)
    return entry
  }
  const jar = env[known.variable]
  if (jar !== undefined && jar !== '') {
    refuseOther(jar, known.variable)
    return { ...entry, jar }
  }
  if (optional !== true) return entry
  const { name = metric, higher_is_better: direction = true } = entry
  return {
    metric: 'bypass',
    name,
    higher_is_better: direction,
    note: `left out: ${known.variable} does not say where ${known.program} is`,
  }
}

/** Java would wait for a pipe for ever. That a jar is not there is said by Java, where it is needed. */
function refuseOther(jar: string, where: string): void {
  try {
    expectFileSync(jar)
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOTFILE') return
    throw new PipelineError('config', `${where} ${jar}: ${error.message}. Give the path of the jar`, { cause: error })
  }
}

const isEntry = (entry: Json): entry is JsonObject => typeof entry === 'object' && entry !== null && !isList(entry)

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

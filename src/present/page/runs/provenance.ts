import { stringify } from 'yaml'
import { shellWord } from '../../../../base/text/shell-word.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject, Run } from '../../../../cache/records.js'
import type { RunStats } from '../../../../stages/model/stats/run-stats.js'
import { commandLine } from '../new-run/command-line.js'
import type { Provenance } from '../data/index.js'

/**
 * Collects what is needed to reproduce a run's numbers: versions, digests, and its configuration in both forms.
 *
 * @param stats contain the model names that the server reported
 * @param further settings that are on the command line only
 */
export function collectProvenance(
  { asked, provenance }: Run,
  { served }: Partial<Pick<RunStats, 'served'>>,
  further: JsonObject = {},
): Provenance {
  const { version, commit, dirty, node, config } = provenance
  const settings = removeUnset(plain(without(config, 'cwd')))
  return {
    version,
    ...(commit !== undefined && { commit }),
    ...(dirty !== undefined && { dirty }),
    node,
    model: plain(asked.model),
    ...(served !== undefined && { served: served.map(({ model, answers }) => ({ model, answers })) }),
    tasks: asked.tasks.map(({ name, identity, dataset }) => ({ name, identity, dataset: plain(dataset) })),
    yaml: Object.keys(settings).length === 0 ? '' : stringify(settings, { lineWidth: 120 }),
    command: Object.keys(settings).length === 0 ? '' : formatCommand({ ...settings, ...further }, config.cwd),
  }
}

/** Converts a record to JSON. Records contain only JSON, but interfaces lack the index signature. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

/** Stored configurations contain empty lists and mappings, which say nothing. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0)

const removeUnset = (config: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => isGiven(value)))

/** The command line with the flags of a stored configuration. */
function formatCommand(settings: JsonObject, cwd: string | undefined): string {
  const folder = cwd === undefined ? '' : `cd ${shellWord(cwd)} && `
  return `${folder}${commandLine(settings)}`
}

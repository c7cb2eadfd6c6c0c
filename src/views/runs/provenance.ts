import { stringify } from 'yaml'
import { shellWord } from '../../../base/text/shell-word.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import { commandLine } from '../new-run/command-line.js'
import type { Provenance } from '../page-data/index.js'

/** What is needed to get a run's numbers again: versions, digests, and its configuration in both forms. */
export function provenanceOf({ asked, provenance }: Run): Provenance {
  const { version, commit, dirty, node, config } = provenance
  const settings = given(plain(without(config, 'cwd')))
  return {
    version,
    ...(commit !== undefined && { commit }),
    ...(dirty !== undefined && { dirty }),
    node,
    model: plain(asked.model),
    tasks: asked.tasks.map(({ name, identity, dataset }) => ({ name, identity, dataset: plain(dataset) })),
    yaml: Object.keys(settings).length === 0 ? '' : stringify(settings, { lineWidth: 120 }),
    command: commandOf(settings, config.cwd),
  }
}

/** Records contain only JSON, but interfaces have no index signature to say so. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

/** Stored configurations contain empty lists and mappings, which say nothing. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0)

const given = (config: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => isGiven(value)))

/** The command line with the flags of a stored configuration. */
function commandOf(settings: JsonObject, cwd: string | undefined): string {
  const folder = cwd === undefined ? '' : `cd ${shellWord(cwd)} && `
  return Object.keys(settings).length === 0 ? '' : `${folder}${commandLine(settings)}`
}

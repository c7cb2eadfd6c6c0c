import { canonicalJson } from '../../base/canonical-json.js'
import { PipelineError } from '../../base/errors.js'
import { buildInfo } from '../../cache/code/build-info.js'
import { sha256 } from '../../cache/digest.js'
import type { Emit } from '../../cache/events.js'
import type { JsonObject } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { RoundRules } from '../../stages/input/rounds/round-rules.js'
import type { Tools } from '../../stages/model/rounds/tool-rounds.js'
import { realClock } from '../clock.js'
import { readToolServers } from '../config/tool-servers.js'
import type { ModelPlan } from './model-plan.js'
import type { EvalSettings } from '../evaluation/settings.js'

/** Tools whose servers run, and what requests say of them. Whoever has it closes it. */
export interface ModelTools extends Tools {
  readonly rules: NonNullable<RoundRules['tools']>
  /** What a run is asked with. */
  readonly asked: JsonObject
  close(): Promise<void>
}

const usualRounds = 10
const usualTimeout = 60

/**
 * Starts the tool servers of an evaluation, and asks what they offer; undefined where it has none.
 *
 * @throws PipelineError where the model calls no tools, or a server can't be started or reached.
 */
export async function openTools(
  settings: EvalSettings,
  { store, model, emit }: { readonly store: Pick<Store, 'media'>; readonly model: ModelPlan; readonly emit: Emit },
): Promise<ModelTools | undefined> {
  const servers = readToolServers(settings, process.env)
  if (servers.length === 0) {
    if (settings.maxToolRounds !== undefined || settings.toolTimeout !== undefined)
      throw new PipelineError(
        'usage',
        '--max-tool-rounds, --tool-timeout: also give --mcp or --tools, which name tools',
      )
    return undefined
  }
  if (model.backend.takesTools !== true)
    throw new PipelineError(
      'config',
      `model ${model.backend.id} can't call tools (--mcp, --tools)   (pipeline models list)`,
    )
  const { openToolbox } = await import('../../stages/model/tools/toolbox.js')
  const toolbox = await openToolbox(servers, {
    media: store.media,
    accepts: model.accepts('generate_until'),
    timeoutMs: 1000 * (settings.toolTimeout ?? usualTimeout),
    version: buildInfo().version,
    clock: realClock,
    note: text => emit({ type: 'note', text }),
  })
  const { declared } = toolbox
  const maxRounds = settings.maxToolRounds ?? usualRounds
  const names = declared.map(({ name }) => name)
  return {
    rules: { declared, maxRounds },
    asked: {
      tools: { names, digest: sha256(canonicalJson(declared.map(tool => ({ ...tool })))), max_rounds: maxRounds },
    },
    call: (call, rules) => toolbox.call(call, rules),
    isReadOnly: name => toolbox.isReadOnly(name),
    close: () => toolbox.close(),
  }
}

import { canonicalJson } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { buildInfo } from '../../cache/code/build-info.js'
import { sha256 } from '../../cache/digest.js'
import type { Emit } from '../../cache/events.js'
import type { RunSelection } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { RoundRules } from '../../stages/input/rounds/round-rules.js'
import type { Tools } from '../../stages/model/rounds/tool-rounds.js'
import { realClock } from '../clock.js'
import { readToolServers } from '../config/values/tool-servers.js'
import type { ModelPlan } from './model-plan.js'
import type { EvalSettings } from '../config/settings.js'

/** Tools with running servers, and what requests say about them. The caller owns them and must call close(). */
export interface ModelTools extends Tools {
  readonly rules: NonNullable<RoundRules['tools']>
  /** The tools as part of the run spec. */
  readonly asked: Pick<RunSelection, 'tools'>
  close(): Promise<void>
}

const usualRounds = 10
const usualTimeout = 60

/**
 * Starts the tool servers of an evaluation and lists their tools; undefined if there are none.
 *
 * @throws PipelineError if the model cannot call tools, or a server cannot be started or reached
 */
export async function openTools(
  settings: EvalSettings,
  { store, model, emit }: { readonly store: Pick<Store, 'media'>; readonly model: ModelPlan; readonly emit: Emit },
): Promise<ModelTools | undefined> {
  const servers = readToolServers(settings, settings.env)
  if (servers.length === 0) {
    if (settings.maxToolRounds !== undefined || settings.toolTimeout !== undefined)
      throw new PipelineError(
        'usage',
        `${option('maxToolRounds')}, ${option('toolTimeout')}: also give ${option('mcp')} or ${option('tools')}, which name tools`,
      )
    return undefined
  }
  if (model.backend.takesTools !== true)
    throw new PipelineError(
      'config',
      `model ${model.backend.id} can't call tools (${option('mcp')}, ${option('tools')})   (${command('models list')})`,
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

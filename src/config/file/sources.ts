/** The sources of keys beside a configuration file: `--set`, and the defaults of the folder. */
import { PipelineError } from '../../../base/errors/errors.js'
import { ownValue } from '../../../base/values/named-values.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { FolderDefaults } from '../folder/folder-defaults.js'
import { readAssignments, refuseListItems } from './assignments.js'
import { isMapping, mergeMappings, type ConfigMapping, type Path, type Values } from './config-mapping.js'

/** Sources of keys with higher or lower priority than a configuration file. */
export interface ConfigSources {
  /** Texts of `--set`. */
  readonly set?: readonly string[]
  readonly folder?: FolderDefaults
  /** The value of `--model`, which may be a name that the folder has for a model. */
  readonly model?: string
  /** The value of `--judge-model`, likewise. */
  readonly judgeModel?: string
}

/** Lays the sources over and under a mapping, and replaces names of the folder's models by their keys. */
export function addSources(mapping: ConfigMapping, { set = [], folder, ...flags }: ConfigSources): ConfigMapping {
  if (set.length > 0) refuseListItems(set, mapping)
  const own = set.length === 0 ? mapping : mergeMappings([mapping, readAssignments(set)], mapping)
  if (folder === undefined) return own
  const isExperiment = own.value['models'] !== undefined
  if (isExperiment && flags.model !== undefined && folder.models.has(flags.model))
    throw new PipelineError(
      'usage',
      `--model ${flags.model}: the configuration file is an experiment, which names its models`,
    )
  const subject = isExperiment ? nameModels(own, folder) : nameModel(own, folder, flags.model)
  const judge = nameJudge(own, folder, flags.judgeModel)
  return mergeMappings(
    [
      keepOthers(folder.mapping),
      ...subject.below,
      ...judge.below,
      without(own, [...subject.dropped, ...judge.dropped]),
      ...subject.above,
      ...judge.above,
    ],
    mapping,
  )
}

/** Drops the model from a layer. Models are merged separately, because their arguments must not mix with another model's. */
const keepOthers = (mapping: ConfigMapping): ConfigMapping => without(mapping, ['model', 'judge_model', 'judge_args'])

interface NamedLayers {
  readonly below: readonly ConfigMapping[]
  readonly above: readonly ConfigMapping[]
  /** Keys of the file that the layers replace. */
  readonly dropped: readonly string[]
}

const nothing: NamedLayers = { below: [], above: [], dropped: [] }

/** Determines the model of a run, from the command line, the file or the folder. */
function nameModel(own: ConfigMapping, folder: FolderDefaults, flag: string | undefined): NamedLayers {
  const ofLine = flag === undefined ? undefined : folder.models.get(flag)
  if (ofLine !== undefined)
    return { below: [], above: [ofLine], dropped: ['model', 'model-args', 'model_args', 'model_name', 'model-name'] }
  if (flag !== undefined) return nothing
  const ownName = own.value['model']
  const name = ownName ?? folder.mapping.value['model']
  const entry = typeof name === 'string' ? folder.models.get(name) : undefined
  if (entry !== undefined) return { below: [entry], above: [], dropped: ['model'] }
  return ownName === undefined ? { ...nothing, below: [only(folder.mapping, ['model'])] } : nothing
}

/** The judge, which may be one of the folder's models. */
function nameJudge(own: ConfigMapping, folder: FolderDefaults, flag: string | undefined): NamedLayers {
  const dropped = ['judge_model', 'judge-model', 'judge_args', 'judge-args']
  const ofLine = flag === undefined ? undefined : folder.models.get(flag)
  if (ofLine !== undefined) return { below: [], above: [asJudge(ofLine)], dropped }
  if (flag !== undefined) return nothing
  const ownName = own.value['judge_model'] ?? own.value['judge-model']
  const name = ownName ?? folder.mapping.value['judge_model']
  const entry = typeof name === 'string' ? folder.models.get(name) : undefined
  const defaults = ownName === undefined ? [only(folder.mapping, ['judge_model', 'judge_args'])] : []
  if (entry === undefined) return { ...nothing, below: defaults }
  return {
    below: [...defaults.map(layer => without(layer, ['judge_model'])), asJudge(entry)],
    above: [],
    dropped: ['judge_model', 'judge-model'],
  }
}

/** Converts the keys of a model to the keys of a judge. */
const asJudge = (entry: ConfigMapping): ConfigMapping => {
  const { model, model_args: args } = entry.value
  const toModel = ([key, ...inner]: Path): Path =>
    key === undefined ? [] : [key === 'judge_model' ? 'model' : 'model_args', ...inner]
  return {
    value: { judge_model: model, ...(args !== undefined && { judge_args: args }) },
    placeOf: path => entry.placeOf(toModel(path)),
    placeOfKey: key => entry.placeOf(toModel([key])),
    folderOf: path => entry.folderOf(toModel(path)),
  }
}

/** Determines the models of an experiment: a list of names from the folder, or a mapping. In a mapping, a name without `model` is one of the folder's. */
function nameModels(own: ConfigMapping, folder: FolderDefaults): NamedLayers {
  const { models } = own.value
  const names = Array.isArray(models) ? models : isMapping(models) ? Object.keys(models) : []
  const keys: Values = isMapping(models) ? models : {}
  if (Array.isArray(models)) refuseUnknown(models, own, folder)
  const entries = names.flatMap((name: unknown) => {
    const entry = typeof name === 'string' ? folder.models.get(name) : undefined
    const ownKeys = typeof name === 'string' ? ownValue(keys, name) : undefined
    return entry === undefined || (isMapping(ownKeys) && ownKeys['model'] !== undefined)
      ? []
      : [[String(name), entry, ownKeys] as const]
  })
  if (entries.length === 0) return nothing
  // The file decides the order. A name without keys does not replace the folder's keys.
  const ordered = Object.fromEntries(names.map((name: unknown) => [String(name), {}]))
  const ownModels = Object.fromEntries(
    Object.entries(keys).filter(
      ([name, value]) => value !== null || !entries.some(([entryName]) => entryName === name),
    ),
  )
  return {
    below: [
      { ...own, value: { models: ordered } },
      ...entries.map(([name, entry]): ConfigMapping => ({
        value: { models: { [name]: entry.value } },
        placeOf: ([, , ...path]) => entry.placeOf(path),
        placeOfKey: () => entry.placeOf([]),
        folderOf: ([, , ...path]) => entry.folderOf(path),
      })),
      { ...own, value: { models: ownModels } },
    ],
    above: [],
    dropped: ['models'],
  }
}

function refuseUnknown(names: readonly unknown[], own: ConfigMapping, { models, file }: FolderDefaults): void {
  const problems = names.flatMap((name, index) =>
    typeof name === 'string' && models.has(name)
      ? []
      : [
          `${own.placeOf(['models', index])}  models.${index}: ${file} has no model ${JSON.stringify(name)}.${didYouMean(String(name), [...models.keys()])}`,
        ],
  )
  if (problems.length > 0) throw new PipelineError('config', problems)
}

const without = (mapping: ConfigMapping, keys: readonly string[]): ConfigMapping => ({
  ...mapping,
  value: Object.fromEntries(Object.entries(mapping.value).filter(([key]) => !keys.includes(key))),
})

const only = (mapping: ConfigMapping, keys: readonly string[]): ConfigMapping => ({
  ...mapping,
  value: Object.fromEntries(Object.entries(mapping.value).filter(([key]) => keys.includes(key))),
})

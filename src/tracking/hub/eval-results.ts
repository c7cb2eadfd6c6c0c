import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { z } from 'zod'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { namesOfFiles } from '../../../base/files/written-file.js'
import { writeWhole } from '../../../base/files/write-whole.js'
import { makeFolder } from '../../../cache/make-folder.js'
import { metricLabel } from '../../reading/metric-label.js'
import type { TrackedRun } from '../tracked-run.js'
import { defineTracker, textSetting, yesNoSetting } from '../tracker.js'
import { readHubEndpoint } from '../../evaluation/data-access.js'
import { checkRepository, commitToHub } from './hub-client.js'

const settings = z.strictObject({
  repo: textSetting.optional(),
  dir: textSetting.optional(),
  metric: textSetting.optional(),
  task_id: textSetting.optional(),
  percent: yesNoSetting.optional(),
  url: textSetting.optional(),
  name: textSetting.optional(),
  user: textSetting.optional(),
  notes: textSetting.optional(),
})
type Settings = z.output<typeof settings>

/**
 * Scores as the Hub shows them on a model's page: `.eval_results/TASK.yaml`, by a pull request or in a clone of the
 * model's repository.
 *
 * Source: https://huggingface.co/docs/hub/eval-results
 */
export const evalResults = defineTracker({
  id: 'eval_results',
  summary: 'scores on the page of a model of the Hugging Face Hub',
  settings,
  main: 'repo',
  place(ownSettings, env) {
    if ((ownSettings.repo === undefined) === (ownSettings.dir === undefined))
      throw new PipelineError(
        'usage',
        `${option('track', 'eval_results')}: name the model's repository (eval_results=owner/model), which gets a pull request, or a clone of it (dir=./model)`,
      )
    const base =
      ownSettings.dir === undefined
        ? `${readHubEndpoint(env)} ${checkRepository(ownSettings.repo ?? '', 'eval_results')}`
        : resolve(ownSettings.dir)
    return [base, ownSettings.metric, ownSettings.task_id].filter(part => part !== undefined).join(' ')
  },
  async send(run, { settings: ownSettings, digest, before, again, env, signal, note }) {
    const files = makeFiles(run, ownSettings, note)
    const isThere =
      ownSettings.dir === undefined || [...files.keys()].every(path => existsSync(join(ownSettings.dir ?? '', path)))
    if (before?.digest === digest && isThere && !again) return { ...before, state: 'unchanged' }
    const where =
      ownSettings.dir === undefined
        ? await commitToHub(
            {
              repo: { type: 'model', name: ownSettings.repo ?? '' },
              title: `Add evaluation results of ${run.name}`,
              files: new Map([...files].map(([path, text]) => [path, { text }])),
              isPullRequest: true,
            },
            { env, signal },
          )
        : await writeFiles(resolve(ownSettings.dir), files)
    return { id: run.name, where, state: before === undefined ? 'sent' : 'updated' }
  },
})

/** Makes a file for each task whose docs come from the Hub. @throws PipelineError if there is none */
function makeFiles(run: TrackedRun, ownSettings: Settings, note: (text: string) => void): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const without: string[] = []
  const names = namesOfFiles(run.run.asked.tasks.map(({ name }) => name))
  for (const [index, { name, dataset }] of run.run.asked.tasks.entries()) {
    const value = run.judgement.aggregates.find(
      aggregate =>
        aggregate.task === name &&
        aggregate.group === undefined &&
        (ownSettings.metric === undefined || metricLabel(aggregate) === ownSettings.metric),
    )?.value
    if (dataset.revision === undefined || value === undefined || value === null) {
      without.push(name)
      continue
    }
    const entry = {
      dataset: {
        id: dataset.path,
        task_id: ownSettings.task_id ?? dataset.config ?? 'default',
        revision: dataset.revision,
      },
      value: ownSettings.percent === true ? value * 100 : value,
      date: new Date(run.finishedAt).toISOString(),
      ...(ownSettings.url !== undefined && {
        source: {
          url: ownSettings.url,
          ...(ownSettings.name && { name: ownSettings.name }),
          ...(ownSettings.user && { user: ownSettings.user }),
        },
      }),
      ...(ownSettings.notes !== undefined && { notes: ownSettings.notes }),
    }
    files.set(`.eval_results/${names[index] ?? name}.yaml`, stringify([entry]))
  }
  if (files.size === 0)
    throw new PipelineError(
      'usage',
      `no task of ${run.name} has docs of a Hub dataset and ${ownSettings.metric === undefined ? 'a score' : `a score of ${ownSettings.metric}`}, so there is nothing that a model's page could show`,
    )
  if (without.length > 0) note(`without a Hub dataset or a score, and left out: ${without.join(', ')}`)
  return files
}

async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<string> {
  try {
    makeFolder(join(folder, '.eval_results'))
    for (const [path, text] of files) await writeWhole(join(folder, path), text)
  } catch (error) {
    throw new PipelineError('usage', `${folder}: ${messageOf(error)}. Name a folder that can be written to`, {
      cause: error,
    })
  }
  return pathToFileURL(join(folder, '.eval_results')).href
}

import { basename } from 'node:path'
import { z } from 'zod'
import { namesOfFiles } from '../../../base/files/written-file.js'
import { defineTracker, textSetting, yesNoSetting } from '../tracker.js'
import { readHubEndpoint } from '../../evaluation/data-access.js'
import { checkRepository, commitToHub } from './hub-client.js'

/** Results and samples as files of a dataset repository on the Hugging Face Hub. No package is needed. */
export const hub = defineTracker({
  id: 'hub',
  summary: 'a dataset repository of the Hugging Face Hub',
  settings: z.strictObject({
    repo: textSetting,
    path: textSetting.optional(),
    public: yesNoSetting.optional(),
    results: yesNoSetting.optional(),
    samples: yesNoSetting.optional(),
    report: yesNoSetting.optional(),
  }),
  main: 'repo',
  place: ({ repo, path }, env) =>
    [readHubEndpoint(env), checkRepository(repo, 'hub'), path].filter(part => part !== undefined).join(' '),
  async send(run, { settings, digest, before, again, env, signal }) {
    const { repo, path = namesOfFiles([run.name])[0] ?? run.name } = settings
    if (before?.digest === digest && !again) return { ...before, state: 'unchanged' }
    const files = await run.files({ samples: settings.samples ?? true, report: settings.report ?? true })
    const sent = files.filter(file => settings.results !== false || basename(file).startsWith('samples_'))
    const where = await commitToHub(
      {
        repo: { type: 'dataset', name: repo },
        title: `Add results of ${run.name}`,
        files: new Map(sent.map(file => [`${path.replace(/\/+$/, '')}/${basename(file)}`, { file }])),
        visibility: settings.public === true ? 'public' : 'private',
      },
      { env, signal },
    )
    return { id: path, where, state: before === undefined ? 'sent' : 'updated' }
  },
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StageEvent } from '../../cache/events.js'
import { type DataAccess, openHub } from '../../stages/input/datasets/hub/hub.js'
import type { HubSettings } from '../../stages/input/datasets/hub/hub-fetch.js'
import { loadTask } from '../../stages/input/tasks/load-task.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { temporaryFolder } from './store.js'

export interface HubPlace {
  readonly cacheDir: string
  readonly notes: string[]
  /** Returns data access as in a new process. */
  access(settings?: Partial<HubSettings>, others?: Partial<DataAccess>): DataAccess
  /** Creates a task whose file has these lines. */
  task(yaml: string, settings?: Partial<HubSettings>, others?: Partial<DataAccess>): Promise<Task>
}

/** Creates a cache, and tasks that read through it. */
export async function hubPlace(endpoint: string): Promise<HubPlace> {
  const folder = await temporaryFolder()
  const cacheDir = join(folder, 'hub')
  const notes: string[] = []
  const emit = (event: StageEvent): void => {
    if (event.type === 'note') notes.push(event.text)
  }
  const access: HubPlace['access'] = (settings = {}, others = {}) => ({
    hub: openHub({
      endpoint,
      offline: false,
      cacheDir,
      emit,
      patience: { attempts: 2, firstWaitMs: 1, stallMs: 5_000 },
      ...settings,
    }),
    cacheDir,
    mediaRoots: [],
    hfHome: join(folder, 'hf'),
    pinned: new Map(),
    emit,
    ...others,
  })
  return {
    cacheDir,
    notes,
    access,
    async task(yaml, settings, others) {
      const file = join(folder, 't.yaml')
      await writeFile(file, `task: t\ndoc_to_text: q\ndoc_to_target: a\n${yaml}`)
      return loadTask(file, { cacheDir: join(folder, 'code'), access: access(settings, others) })
    },
  }
}

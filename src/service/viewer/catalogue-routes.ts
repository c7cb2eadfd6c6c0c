/** The tasks and models that a run can name, as the viewer's pages show them. */
import { basename, isAbsolute } from 'node:path'
import type { Hono } from 'hono'
import { PipelineError } from '../../../base/errors/errors.js'
import { visibleText } from '../../../base/text/visible-text.js'
import { taskView } from '../../present/page/task-view.js'
import type { ModelRow, ModelView, TaskRow, TaskView } from '../../present/page/data/catalogue.js'
import { requireScope } from '../http/guards/access.js'
import { RefusedError } from '../http/problems.js'
import type { Service } from '../service.js'

/** Lists tasks, groups and tags. A group or tag belongs to the benchmark of its first member, if that has one. */
async function taskRows(
  catalogue: Service['catalogue'],
  store: Pick<Service['store'], 'values'>,
): Promise<readonly TaskRow[]> {
  const listed = await catalogue.listed(store)
  const files = new Map(listed.flatMap(({ name, kind, file }) => (kind === 'task' && file ? [[name, file]] : [])))
  return listed.map(({ file, members, ...row }) => {
    const ownFile = file ?? files.get(members?.[0] ?? '')
    const benchmark = ownFile === undefined ? undefined : catalogue.findBenchmark(ownFile)
    return {
      ...row,
      // Data in a local file has a path of this machine, which is nobody's business.
      ...(row.source !== undefined && isAbsolute(row.source) && { source: basename(row.source) }),
      ...(benchmark !== undefined && { benchmark }),
      ...(members !== undefined && { members: members.length }),
    }
  })
}

/** Adds the routes of the pages that list tasks and models. */
export function addCatalogueRoutes(
  app: Pick<Hono, 'get'>,
  { catalogue, log, store }: Pick<Service, 'catalogue' | 'log' | 'store'>,
): void {
  app.get('/view/tasks', async context => {
    requireScope(context, 'read')
    return context.json(await taskRows(catalogue, store))
  })

  app.get('/view/tasks/:name', async context => {
    requireScope(context, 'read')
    const name = context.req.param('name')
    const loadedView: TaskView | undefined = await withoutPaths(name, () =>
      catalogue.withTask(name, task => taskView(task, store)),
    )
    if (loadedView !== undefined) return context.json(loadedView)
    const group = await catalogue.task(name)
    if (group === undefined) throw new RefusedError(404, 'there is no such task')
    const view: TaskView = { name, kind: group.kind, members: group.members ?? [] }
    return context.json(view)
  })

  app.get('/view/models', async context => {
    requireScope(context, 'read')
    const rows: readonly ModelRow[] = await catalogue.models()
    return context.json(rows)
  })

  app.get('/view/models/:name', async context => {
    requireScope(context, 'read')
    const name = context.req.param('name')
    const isKnown = (await catalogue.models()).some(({ id }) => id === name)
    if (!isKnown) throw new RefusedError(404, 'there is no such model backend')
    const view: ModelView = await catalogue.model(name)
    return context.json(view)
  })

  /** Mistakes in files of the server go to its log, because they name its folders. */
  async function withoutPaths<T extends TaskView | undefined>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      log(`task ${visibleText(name)}: ${visibleText(error.message)}`)
      throw new RefusedError(422, 'the files of this task have mistakes; the log of the server names them')
    }
  }
}

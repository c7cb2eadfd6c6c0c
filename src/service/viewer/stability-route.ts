/** `/view/runs/:run/stability`: how far the samples of each doc agree. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { visibleText } from '../../../base/text/visible-text.js'
import { stabilityView } from '../../present/page/stability-view.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { readRunStability } from '../../rescoring/run-stability.js'
import type { Service } from '../service.js'
import { answer } from './page-routes.js'
import { parseOthers } from './queries.js'

/** Adds the route that scores each sample alone. That runs code of the run's tasks, so that it needs the right to submit jobs. */
export function addStabilityRoute(
  app: OpenAPIHono,
  { store, settings, env, log }: Pick<Service, 'store' | 'settings' | 'env' | 'log'>,
): void {
  const { includePaths, plugins, python } = settings
  app.get('/view/runs/:run/stability', context =>
    answer(
      context,
      async () => {
        const run = context.req.param('run')
        const opened = await openRun(store, run)
        const others = await Promise.all(parseOthers(context.req.url).map(other => openRun(store, other)))
        const scoring = { ...python, store: store.location, includePaths, plugins, env, run, trustBundle: false }
        return stabilityView(await readRunStability(store, opened, { settings: scoring, emit: logNote, others }))
      },
      'submit',
    ),
  )

  function logNote(event: { readonly type: string; readonly text?: string }): void {
    if (event.type === 'note' && event.text !== undefined) log(visibleText(event.text))
  }
}

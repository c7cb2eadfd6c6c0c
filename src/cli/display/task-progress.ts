import type { StageEvent } from '../../../cache/events.js'
import type { Run } from '../../../cache/records.js'
import type { RunCounts } from '../../../cache/store.js'
import { addSums, noSums, type RunningSums } from '../../reading/progress/running-mean.js'
import { noteAnswers, type RecentAnswers } from './recent-answers.js'

/** The progress of one task, as far as this process saw it. */
export interface TaskProgress {
  readonly task: string
  /** The number of docs, if it is known. */
  total: number | undefined
  read: number
  isRead: boolean
  scored: number
  failed: number
  /** The metric that is shown as a mean. Absent until a doc has a value. */
  metric?: string
  sums: RunningSums
  recent?: RecentAnswers
  /** All answers that this process saw after the first ones, and the time that they took. */
  answered?: { readonly since: number; readonly until: number; readonly answers: number }
  /** Monotonic milliseconds of the last event of the task. */
  changedAt: number | undefined
}

/**
 * Follows the progress of each task from the events. It is updated in place, because there is an event for each answer
 * and there may be hundreds of tasks.
 */
export class TasksProgress {
  readonly #tasks = new Map<string, TaskProgress>()

  /** The tasks in the order of the run. */
  get all(): readonly TaskProgress[] {
    return [...this.#tasks.values()]
  }

  /** Begins with what earlier commands read of the run. */
  start({ asked }: Run, counts: RunCounts): void {
    for (const [index, { name }] of asked.tasks.entries()) {
      const task = this.#task(name)
      task.read = counts.docsByTask[index] ?? 0
      if (counts.inputFinished) end(task)
    }
  }

  /** @param now monotonic milliseconds */
  note(event: StageEvent, now: number): void {
    switch (event.type) {
      case 'task-opened':
        this.#task(event.task).total = event.docs
        break
      case 'docs-read': {
        const task = this.#changed(event.task, now)
        task.read += event.docs
        for (const count of Object.values(event.failed ?? {})) task.failed += count
        break
      }
      case 'input-finished':
        for (const task of this.#tasks.values()) end(task)
        break
      case 'answered': {
        if (event.task === undefined) break
        const task = this.#changed(event.task, now)
        task.answered = {
          since: task.answered?.since ?? now,
          until: now,
          answers: task.answered === undefined ? 0 : task.answered.answers + event.requests,
        }
        task.recent = noteAnswers(task.recent ?? { since: now, answers: 0 }, event.requests, now)
        break
      }
      case 'request-failed':
        if (event.task !== undefined) this.#changed(event.task, now).failed += 1
        break
      case 'docs-scored':
        for (const { task, docs } of event.tasks ?? []) this.#changed(task, now).scored += docs
        for (const { task: name, metric, ...sums } of event.running ?? []) {
          const task = this.#changed(name, now)
          task.metric = metric
          task.sums = addSums(task.sums, sums)
        }
        break
      default:
    }
  }

  #changed(name: string, now: number): TaskProgress {
    const task = this.#task(name)
    task.changedAt = now
    return task
  }

  #task(name: string): TaskProgress {
    let task = this.#tasks.get(name)
    if (task === undefined) {
      task = {
        task: name,
        total: undefined,
        read: 0,
        isRead: false,
        scored: 0,
        failed: 0,
        sums: noSums,
        changedAt: undefined,
      }
      this.#tasks.set(name, task)
    }
    return task
  }
}

function end(task: TaskProgress): void {
  task.isRead = true
  task.total = task.read
}

import type { Task } from '../../../stages/input/tasks/task.js'

/**
 * Replaces which docs of a task are not independent of each other.
 *
 * @param cluster `auto` as the task says, `none`, or a field of the docs
 */
export function withCluster(task: Task, cluster = 'auto'): Task {
  if (cluster === 'auto') return task
  const { scoring, config } = task
  return {
    ...task,
    config: { ...config, cluster_key: cluster },
    scoring: { ...scoring, config: { ...scoring.config, cluster_key: cluster } },
  }
}

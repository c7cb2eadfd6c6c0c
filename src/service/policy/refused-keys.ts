/** Keys of a configuration file that no job may have, with the reason. The schemas for clients leave them out. */
export const refusedKeys: Readonly<Record<string, string>> = {
  env: 'a job must not set variables of the environment; the server is started with them',
  python: 'a job must not name a program; the server is started with --python or PIPELINE_PYTHON',
  allow_network: 'a job must not let code of tasks use the network of the server',
  python_seconds: 'a job must not change the limits of Python code on the server',
  python_memory_mb: 'a job must not change the limits of Python code on the server',
  judge_for: 'a job names one judge for all its tasks, with judge_model and judge_args',
  store: 'a job is kept in the store of the server (--store)',
}

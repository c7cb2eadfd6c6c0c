/** All trackers. A new one is a file or folder beside this one, and a line here. */
import type { TrackerDefinition } from './tracker.js'
import { everyEvalEver } from './every-eval-ever/every-eval-ever.js'
import { evalResults } from './hub/eval-results.js'
import { hub } from './hub/hub.js'
import { mlflow } from './mlflow/mlflow.js'
import { swanlab, trackio, wandb } from './python/package-trackers.js'
import { tensorboard } from './tensorboard/tensorboard.js'

export const trackers: readonly TrackerDefinition[] = [
  mlflow,
  wandb,
  trackio,
  swanlab,
  tensorboard,
  hub,
  evalResults,
  everyEvalEver,
]

import { captionOptions } from '../support/golden-captions.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('coco_cap', captionOptions('coco'))

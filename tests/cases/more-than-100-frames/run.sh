#!/bin/bash
# needs: ffmpeg
# A video is sent as that many frames, also if they are more than a parser of ffmpeg takes in one sum.
. "$(dirname "$0")/../lib/media-task.sh"
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=10:d=30 -c:v libx264 -preset ultrafast -y v.mp4
echo '{"id":"a","m":"v.mp4"}' > t.jsonl
for n in nframes=100 nframes=101 nframes=256 fps=8; do
  rm -f requests.jsonl
  $PIPELINE eval --tasks ./t.yaml --model openai --model-args "base_url=$ADDRESS/v1,model=m,$n" > out.txt 2>&1
  echo "$n: exit $?, $(grep -o '"image_url"' requests.jsonl | wc -l) pictures"
done

#!/bin/bash
# needs: ffmpeg
# The sound of a video has a gap of 1,000,000 s, which is not sent as that much silence. Without its sound, the video is sent.
. "$(dirname "$0")/../lib/media-task.sh"
ffmpeg -v error -f lavfi -i testsrc=s=64x64:r=5:d=2 -f lavfi -i sine=d=2 -filter_complex "[1:a]asetpts='PTS+gt(T,1)*1000000/TB'[a]" \
  -map 0:v -map '[a]' -c:v libx264 -preset ultrafast -c:a pcm_s16le -y v.mkv
echo '{"id":"a","m":"v.mkv"}' > t.jsonl
for sound in after none; do
  timeout -s KILL 60 $PIPELINE eval --tasks ./t.yaml --model openai \
    --model-args "base_url=$ADDRESS/v1,model=m,nframes=2,audio_in_video=$sound,modalities=text+image+audio" 2>&1
  echo "$sound: exit code $?"
done

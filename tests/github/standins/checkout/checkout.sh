# The names that the real one leaves behind: a branch as itself, all else as a detached commit.
set -euo pipefail
if [ -n "$OTHER" ]; then
  [ "$OTHER@$REF" = "$RELEASED" ]
  mkdir "$PLACE"
  cp -R "$RELEASE_HERE/." "$PLACE"
  exit
fi
url="https://github.com/$GITHUB_REPOSITORY"
git init -q .
git remote add origin "$url"

source="$GITHUB_SHA" ref="${REF:-$GITHUB_REF}"
if [ -n "$REF" ]; then
  source="$REF"
  if git ls-remote -q --exit-code "$ORIGIN" "refs/heads/$REF" > /dev/null; then
    source="refs/heads/$REF" ref="refs/heads/$REF"
  fi
fi
case "$ref" in
  refs/heads/*) name="refs/remotes/origin/${ref#refs/heads/}" ;;
  refs/pull/*) name="refs/remotes/${ref#refs/}" ;;
  *) name="$ref" ;;
esac
fetch() { git -c "url.$ORIGIN.insteadOf=$url" fetch -q --no-tags "$@"; }
recent=(--depth "$DEPTH")
if [ "$DEPTH" = 0 ]; then
  recent=()
  fetch origin "+refs/heads/*:refs/remotes/origin/*" "+refs/tags/*:refs/tags/*"
fi
case "$name" in
  refs/*) fetch "${recent[@]}" origin "+$source:$name" ;;
  *) fetch "${recent[@]}" origin "$source" ;;
esac

case "$ref" in
  refs/heads/*) git checkout -q --force -B "${ref#refs/heads/}" "$name" ;;
  *) git checkout -q --force --detach "$(git rev-parse --verify -q "$name" || echo FETCH_HEAD)" ;;
esac

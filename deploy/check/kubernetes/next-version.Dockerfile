# Makes the image of a next version from a built one: its gateway writes a contract that the present consumers refuse, and
# its migration adds a table. docker build -f deploy/check/kubernetes/next-version.Dockerfile --build-arg APP=gateway
# -t sluice/gateway:next deploy/check/kubernetes
ARG APP
ARG TAG=test
FROM sluice/${APP}:${TAG}
USER 0
RUN ["node", "-e", "\
  const { existsSync, readFileSync, writeFileSync } = require('fs'); \
  const topics = 'libs/contracts/dist/tracking/topics.js'; \
  const text = readFileSync(topics, 'utf8'); \
  const next = text.replace(\"contract: 'track.v1'\", \"contract: 'track.v2', earlierContracts: ['track.v1']\"); \
  if (next === text) throw new Error('track.v1 is not declared'); \
  writeFileSync(topics, next); \
  const migration = 'CREATE TABLE IF NOT EXISTS next_version (id UInt8) ENGINE = ReplacingMergeTree ORDER BY id;'; \
  const folder = 'apps/tracking/migrations/'; \
  if (existsSync(folder)) writeFileSync(folder + '9999-next-version.sql', migration);"]
USER 1000:1000

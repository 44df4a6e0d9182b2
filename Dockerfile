# Debian, not Alpine: the Temporal worker's native core needs glibc.
# Optional packages stay: the bundler of the workflows has its native part among them.
FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY web/sdk/package.json web/sdk/
RUN npm ci --omit=dev --ignore-scripts
COPY workflows workflows
COPY domain domain
COPY db db
COPY activities activities
COPY api api
COPY workers workers
COPY client client
COPY web web
COPY simulator simulator
COPY cli cli
COPY docs docs
# The pages that browsers load.
RUN node web/build.ts

FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app /app
# A new volume takes its owner from the directory it is mounted on.
RUN mkdir -p /data/keys /data/api-keys /data/trust /tls/ca /tls/server /tls/client && chown -R node /data /tls
USER node
EXPOSE 8080 9464 9465
CMD ["node", "api/main.ts"]

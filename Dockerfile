# Debian, not Alpine: the Temporal worker's native core needs glibc.
# Optional packages stay: the bundler of the workflows has its native part among them.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
COPY workflows workflows
COPY db db
COPY activities activities
COPY api api
COPY workers workers
COPY web web
COPY cli cli
COPY docs/api.md docs/signing-in.md docs/

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app /app
USER node
EXPOSE 8080 9464 9465
CMD ["node", "api/main.ts"]

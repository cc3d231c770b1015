# The service as one image; web, worker, beat and migrate differ in their command alone.

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH
COPY requirements.lock /app/
# http-ece, quotequail and dkimpy are published as source only; they are plain Python, nothing is compiled.
RUN pip install --require-hashes --no-deps --only-binary :all: --no-binary http-ece,quotequail,dkimpy \
    -r /app/requirements.lock
WORKDIR /app
COPY manage.py ./
COPY atlantis_site atlantis_site
COPY games games
COPY templates templates
RUN SECRET_KEY=unused DATABASE_URL=postgresql:///unused BROKER_URL=redis://unused \
    python manage.py collectstatic --no-input
# The containers cannot write compiled files, so each start and each health check would compile anew.
RUN python -m compileall -q atlantis_site games

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 BIND=0.0.0.0:8000
RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin atlantis
COPY --from=build /venv /venv
COPY --from=build /app /app
WORKDIR /app
ARG VERSION=
LABEL org.opencontainers.image.title="Atlantis by Mail" org.opencontainers.image.version=$VERSION
USER atlantis
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
    CMD ["python", "-m", "atlantis_site.healthcheck", "web"]
CMD ["python", "-m", "atlantis_site.web"]

# The command line with its catalogue: docker run -v "$PWD:/book" scalesheet build
FROM python:3.12-slim
COPY . /source
RUN pip install --no-cache-dir /source && rm -r /source
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -r /var/lib/apt/lists/*
WORKDIR /book
ENTRYPOINT ["scalesheet"]
CMD ["--help"]

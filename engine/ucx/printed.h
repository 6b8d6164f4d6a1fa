// What a UCX function prints to a C stream, as a string. UCX tells some facts in no other way.
#ifndef RDMALAB_ENGINE_UCX_PRINTED_H_
#define RDMALAB_ENGINE_UCX_PRINTED_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rdmalab::ucx {

// `print` takes a FILE*. Empty when there is no memory for a stream.
template <typename Print>
std::string PrintedBy(Print print) {
  char* text = nullptr;
  size_t bytes = 0;
  FILE* stream = open_memstream(&text, &bytes);
  if (stream == nullptr) return "";
  print(stream);
  std::string printed;
  if (fclose(stream) == 0) printed.assign(text, bytes);
  free(text);
  return printed;
}

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_PRINTED_H_

#include "cli/commands.hpp"

int main(int argc, char** argv) { return fovea::run_program(argc, argv); }
